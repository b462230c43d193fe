import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { buildSimulator } from "../alerts/simulator.ts";
import type { Benchmark, Contender, Readings } from "../benchmark.ts";
import { keyCounts } from "./key-counts.ts";

const RULES = join(import.meta.dirname, "../../dashboards/generated/rules.yaml");
const run = promisify(execFile);

/** CPU time, samples and memory of the evaluation of all rules, by the number of keys. */
export const evaluationBenchmark: Benchmark = {
  name: "rules/evaluation",
  title:
    "CPU time of one minute's evaluation of all rules in Prometheus' own engine and TSDB, in the memory of one process, with eight days of history. " +
    "`longest` is the group that takes longest. `RULE_KEYS=10000` adds 10,000 keys, which take ten minutes of CPU time.",
  quantities: [
    { name: "cpu", unit: "s" },
    { name: "longest", unit: "s" },
    { name: "samples", unit: "millions" },
    { name: "memory", unit: "MB" },
  ],
  goals: [
    { quantity: "cpu", measure: value("1000 keys"), bound: "at most", bar: 0.3, stretch: 0.1 },
    {
      quantity: "cpu",
      measure: { kind: "ratio", of: "1000 keys", to: "100 keys" },
      bound: "at most",
      bar: 10,
      stretch: 8,
    },
    { quantity: "cpu", measure: value("10000 keys"), bound: "at most", bar: 3, stretch: 1 },
    { quantity: "longest", measure: value("10000 keys"), bound: "at most", bar: 12, stretch: 3 },
  ],
  rounds: 1,
  warmsUpItself: true,
  open: async () => {
    return { contenders: contenders(keyCounts()), close: async () => {} };
  },
};

function value(of: string) {
  return { kind: "value", of } as const;
}

function contenders(counts: readonly number[]): readonly Contender[] {
  try {
    const program = buildSimulator();
    return counts.map((keys) => ({ name: `${keys} keys`, round: () => measure(program, keys) }));
  } catch (error) {
    return counts.map((keys) => ({ name: `${keys} keys`, skipped: String(error) }));
  }
}

async function measure(program: string, keys: number): Promise<Readings> {
  const { stdout } = await run(program, ["-rules", `ours=${RULES}`, "-cost", `${keys}`]);
  const groups = [...stdout.matchAll(/^\| (\S+) +\| +\d* +\| +([\d.]+) \|$/gm)].map(
    ([, name = "", seconds]) => ({ name, seconds: Number(seconds) }),
  );
  const total = groups.find(({ name }) => name === "TOTAL");
  const [, samples, memory] = /(\d+) samples of history, .* (\d+) MB after evaluation/.exec(stdout) ?? [];
  if (!total) throw new Error(`Cannot read what ${keys} keys cost: ${stdout}`);
  return {
    cpu: total.seconds,
    longest: Math.max(...groups.filter((group) => group !== total).map(({ seconds }) => seconds)),
    samples: Number(samples) / 1e6,
    memory: Number(memory),
  };
}
