import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { runAttack } from "./attack.ts";
import { writeDocumented } from "./documented.ts";
import { KINDS, kindsLike } from "./kind.ts";
import { documentedTable, reportOf } from "./report.ts";
import { isKept } from "./result.ts";

const HELP = `Attack: the exporter under a hostile gateway, hostile clients and a hostile disk (docs/reliability.md).

Usage: npm run attack -- [options]
  --minutes <n>    how long (2)
  --seed <n>       order and content of the attacks (random)
  --kinds <a,b>    only attacks whose name contains one of these texts
  --alone          one attack at a time, for about ten seconds each
  --app <folder>   another folder with exporter/
  --report <file>  also write the report to a file
  --update         write the table of docs/reliability.md; implies --alone
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
  update: { type: "boolean", default: false },
  list: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

process.exitCode = await run(process.argv.slice(2));

async function run(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: OPTIONS, allowPositionals: false });
  const kinds = kindsLike(values.kinds.split(",").filter((text) => text !== ""));
  const [minutes, seed] = [Number(values.minutes), Number(values.seed ?? Date.now() % 1_000_000)];
  if (values.list) {
    process.stdout.write(KINDS.map(({ name, lane }) => `${lane}: ${name}\n`).join(""));
    return 0;
  }
  if (values.help || !(minutes > 0) || !Number.isInteger(seed) || kinds.length === 0) {
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
      isAlone: values.alone || values.update,
      ...(values.app !== undefined && { app: values.app }),
      onProgress: (text) => void process.stdout.write(`${text}\n`),
    },
    aborter.signal,
  );
  const report = reportOf(result);
  process.stdout.write(report);
  if (values.report !== undefined) writeFileSync(values.report, report);
  if (values.update) writeDocumented(documentedTable(result));
  return isKept(result) ? 0 : 1;
}
