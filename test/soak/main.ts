import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { reportOf, verdicts } from "./report.ts";
import { runSoak } from "./soak.ts";

const HELP = `Soak: the exporter for a long time, with faults, reloads and new secrets (docs/reliability.md).

Usage: npm run soak -- [options]
  --minutes <n>      how long (60)
  --keys <n>         keys (10000)
  --interval <n>     seconds between two polls of a key (60)
  --report <file>    write the report there, too
  --exporter <file>  another exporter than that of this repository
  --help             this text

SIGINT ends it early, with a report. Exit codes: 0 all bounds kept, 1 one was broken, 2 usage error.
`;

const OPTIONS = {
  minutes: { type: "string", default: "60" },
  keys: { type: "string", default: "10000" },
  interval: { type: "string", default: "60" },
  report: { type: "string" },
  exporter: { type: "string" },
  help: { type: "boolean", default: false },
} as const;

process.exitCode = await run(process.argv.slice(2));

async function run(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: OPTIONS, allowPositionals: false });
  const [minutes, keys, interval] = [values.minutes, values.keys, values.interval].map(Number);
  const isWrong = !minutes || !keys || !interval || keys < 100 || interval < 1;
  if (values.help || isWrong) {
    process.stdout.write(HELP);
    return values.help ? 0 : 2;
  }
  const aborter = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => aborter.abort());
  const write = (report: string): void => {
    if (values.report !== undefined) writeFileSync(values.report, report);
  };
  const result = await runSoak(
    {
      lengthMs: minutes * 60_000,
      keys,
      intervalMs: interval * 1000,
      ...(values.exporter !== undefined && { main: values.exporter }),
      onProgress: (soFar) => {
        soFar.endedMs = Date.now();
        write(reportOf(soFar));
        const { wrongValues, missingValues, failedScrapes } = soFar;
        process.stdout.write(
          `${new Date().toISOString()} ${soFar.phases.at(-1)}: ${((soFar.readings.at(-1)?.residentBytes ?? 0) / 2 ** 20).toFixed(0)} MiB, ${wrongValues.count} wrong, ${missingValues.count} missing, ${failedScrapes.count} failed scrapes\n`,
        );
      },
    },
    aborter.signal,
  );
  const report = reportOf(result);
  write(report);
  process.stdout.write(report);
  return verdicts(result).every(({ isKept }) => isKept) ? 0 : 1;
}
