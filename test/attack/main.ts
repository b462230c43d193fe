import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { runAttack } from "./attack.ts";
import { documented, rowsOf, writeDocumented } from "./documented.ts";
import { KINDS, kindsLike } from "./kind.ts";
import { isNoticed, mutationTable, runMutations } from "./mutate.ts";
import { MUTATIONS } from "./mutations.ts";
import { DOCUMENTED_HEAD, documentedFigures, documentedRows, reportOf } from "./report.ts";
import { type AttackResult, isKept } from "./result.ts";

const HELP = `Attack: the exporter under a hostile gateway, hostile clients and a hostile disk (docs/reliability.md).

Usage: npm run attack -- [options]
  --minutes <n>    how long (2)
  --seed <n>       order and content of the attacks (random)
  --kinds <a,b>    only attacks whose name contains one of these texts
  --alone          one attack at a time, for about ten seconds each
  --app <folder>   another folder with exporter/
  --report <file>  also write the report to a file
  --mutations      remove each limit of the exporter from a copy, and report what notices;
                   arguments select limits by parts of their names
  --update         write the tables of docs/reliability.md; with --kinds only the lines of these attacks
  --list           print the names of all attacks
  --help           this text

Exit codes: 0 every bound kept, 1 a bound was broken, 2 usage error.
`;

const OPTIONS = {
  minutes: { type: "string", default: "2" },
  seed: { type: "string" },
  kinds: { type: "string", default: "" },
  alone: { type: "boolean", default: false },
  app: { type: "string" },
  report: { type: "string" },
  mutations: { type: "boolean", default: false },
  update: { type: "boolean", default: false },
  list: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

process.exitCode = await run(process.argv.slice(2));

async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  const kinds = kindsLike(values.kinds.split(",").filter((text) => text !== ""));
  const [minutes, seed] = [Number(values.minutes), Number(values.seed ?? Date.now() % 1_000_000)];
  if (values.list) {
    process.stdout.write(KINDS.map(({ name, lane }) => `${lane}: ${name}\n`).join(""));
    return 0;
  }
  if (values.mutations) return mutations(positionals, values.update);
  if (
    values.help ||
    positionals.length > 0 ||
    !(minutes > 0) ||
    !Number.isInteger(seed) ||
    kinds.length === 0
  ) {
    process.stdout.write(HELP);
    return values.help ? 0 : 2;
  }
  process.stdout.write(`Seed ${seed}, ${kinds.length} attacks\n`);
  const aborter = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => aborter.abort());
  const result = await runAttack(
    {
      lengthMs: minutes * 60_000,
      seed,
      kinds,
      isAlone: values.alone,
      ...(values.app !== undefined && { app: values.app }),
      onProgress: (text) => void process.stdout.write(`${text}\n`),
    },
    aborter.signal,
  );
  const report = reportOf(result);
  process.stdout.write(report);
  if (values.report !== undefined) writeFileSync(values.report, report);
  if (values.update) update(result, values.kinds === "");
  return isKept(result) ? 0 : 1;
}

/** The lines of attacks that did not run stay. */
function update(result: AttackResult, isWhole: boolean): void {
  const rows = new Map([...rowsOf(documented("attacks")), ...documentedRows(result)]);
  const names = new Set(KINDS.map(({ name }) => name));
  writeDocumented(
    "attacks",
    [DOCUMENTED_HEAD, ...[...names].flatMap((name) => rows.get(name) ?? [])].join("\n"),
  );
  if (isWhole) writeDocumented("attack figures", documentedFigures(result));
}

async function mutations(names: readonly string[], isUpdate: boolean): Promise<number> {
  const notices = await runMutations(names, (text) => void process.stdout.write(`${text}\n`));
  const table = mutationTable(notices);
  process.stdout.write(`${table}\n`);
  if (isUpdate) {
    const rows = new Map([...rowsOf(documented("removed limits")), ...rowsOf(table)]);
    const lines = MUTATIONS.flatMap(({ name }) => rows.get(name) ?? []);
    writeDocumented("removed limits", [...table.split("\n").slice(0, 2), ...lines].join("\n"));
  }
  return notices.every(isNoticed) ? 0 : 1;
}
