import { type Drift, driftOf, type Problems, quantile } from "./measurements.ts";
import type { SoakResult } from "./result.ts";

/** A bound, and whether it was kept. */
export interface Verdict {
  readonly bound: string;
  readonly measured: string;
  readonly isKept: boolean;
}

/** The bounds of every soak. */
export function verdicts(result: SoakResult): readonly Verdict[] {
  const warmUntilMs = result.startedMs + result.warmUpMs;
  const resident = driftOf(result.readings, warmUntilMs, ({ residentBytes }) => residentBytes);
  // On a busy machine more clients are connected; a leak is visible even at quiet moments.
  const files = driftOf(result.readings, warmUntilMs, ({ openFiles }) => openFiles, 0.05);
  const longestIntervalMs = Math.max(0, ...result.calmIntervalsMs);
  return [
    none("crashes", result.crashes),
    none("wrong values", result.wrongValues),
    none("values missing after a recovery", result.missingValues),
    none("failed scrapes", result.failedScrapes),
    none("invalid expositions", result.invalidExpositions),
    none("log lines of level error that no fault explains", result.unexpectedLines),
    {
      bound: "some scrapes were compared with the books",
      measured: String(result.checkedScrapes),
      isKept: result.checkedScrapes > 0,
    },
    {
      bound: `effective interval of keys after recoveries at most ${LONGEST_INTERVAL} poll intervals`,
      measured: `${longestIntervalMs} ms`,
      isKept: longestIntervalMs <= LONGEST_INTERVAL * result.intervalMs,
    },
    ...drift(
      "resident memory of the last quarter at most 1.05 times that of the first",
      resident,
      inMebibytes,
      (first) => first * 1.05,
    ),
    ...drift(
      "open files at quiet moments of the last quarter at most 10 more than in the first",
      files,
      String,
      (first) => first + 10,
    ),
  ];
}

/** Values live as long as the exporter's own interval allows, so that has a bound of its own. It is in whole seconds. */
const LONGEST_INTERVAL = 3;

function none(what: string, problems: Problems): Verdict {
  return { bound: `no ${what}`, measured: String(problems.count), isKept: problems.count === 0 };
}

function drift(
  bound: string,
  measured: Drift | undefined,
  write: (value: number) => string,
  most: (first: number) => number,
): readonly Verdict[] {
  if (!measured) return [];
  const { first, last } = measured;
  return [{ bound, measured: `${write(first)} → ${write(last)}`, isKept: last <= most(first) }];
}

/** The soak as a page of markdown. */
export function reportOf(result: SoakResult): string {
  const all = verdicts(result);
  const minutes = (result.endedMs - result.startedMs) / 60_000;
  return [
    `# Soak: ${result.keys} keys, ${minutes.toFixed(1)} minutes`,
    "",
    `Begun ${new Date(result.startedMs).toISOString()}, poll interval ${result.intervalMs / 1000} s, warm-up ${(result.warmUpMs / 60_000).toFixed(1)} minutes (resident memory and open files are compared after it).`,
    `Phases begun: ${result.phases.join(", ")}.`,
    "",
    table(
      ["Bound", "Measured", "Kept"],
      all.map(({ bound, measured, isKept }) => [bound, measured, isKept ? "yes" : "**NO**"]),
    ),
    "",
    table(["Figure", "Value"], figures(result, minutes)),
    "",
    table(["Scrapes", "Count", "p50 ms", "p99 ms", "max ms", "Largest MB on the wire"], scrapes(result)),
    "",
    table(["Polls", "Count"], polls(result)),
    "",
    ...examples(result),
  ].join("\n");
}

function figures(result: SoakResult, minutes: number): string[][] {
  const [p99, max] = [result.delays.map((delay) => delay.p99), result.delays.map((delay) => delay.max)];
  const own = (name: string) => result.own.get(name) ?? Number.NaN;
  const resident = result.readings.map(({ residentBytes }) => residentBytes);
  const cpu = own("process_cpu_seconds_total");
  const late = max.filter((delay) => delay > 0.25).length;
  return [
    ["Scrapes compared with the books", `${result.checkedScrapes}, ${result.checkedKeys} keys in all`],
    ["Of these with every key required", String(result.completeScrapes)],
    ["Series held at the end", String(own("aigateway_exporter_series"))],
    [
      "Resident memory, median and highest",
      `${inMebibytes(quantile(resident, 0.5))}, ${inMebibytes(quantile(resident, 1))}`,
    ],
    [
      "Open files, highest",
      String(
        quantile(
          result.readings.map(({ openFiles }) => openFiles),
          1,
        ),
      ),
    ],
    ["CPU", `${cpu.toFixed(0)} s, ${((cpu / (minutes * 60)) * 100).toFixed(0)} % of a core`],
    [
      "Event-loop delay p99 between two scrapes: median, highest",
      `${inMs(quantile(p99, 0.5))}, ${inMs(quantile(p99, 1))}`,
    ],
    [
      "Event-loop delay max between two scrapes: median, highest",
      `${inMs(quantile(max, 0.5))}, ${inMs(quantile(max, 1))}`,
    ],
    ["Scrapes after an event-loop delay above 250 ms", `${late} of ${max.length}`],
    ["Reloads", String(result.reloads)],
    ["Log lines by level", [...result.logLines].map(([level, count]) => `${level} ${count}`).join(", ")],
  ];
}

function scrapes(result: SoakResult): string[][] {
  return [...result.scrapes].map(([kind, { ms, bytes }]) => [
    kind,
    String(ms.length),
    ...[0.5, 0.99, 1].map((share) => quantile(ms, share).toFixed(0)),
    (bytes / 1e6).toFixed(2),
  ]);
}

function polls(result: SoakResult): string[][] {
  const shown = /^aigateway_exporter_(?:polls|poll_failures)_total\{(.*)\}$/;
  return [...result.own].flatMap(([series, value]) => {
    const labels = shown.exec(series)?.[1];
    return labels === undefined || value === 0 ? [] : [[labels.replaceAll('"', ""), String(value)]];
  });
}

function examples(result: SoakResult): string[] {
  const { crashes, wrongValues, missingValues, failedScrapes, invalidExpositions, unexpectedLines } = result;
  const kinds = { crashes, wrongValues, missingValues, failedScrapes, invalidExpositions, unexpectedLines };
  return Object.entries(kinds).flatMap(([kind, { examples: first }]) =>
    first.length === 0 ? [] : [`## ${kind}`, "", ...first.map((example) => `- ${example}`), ""],
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(head), row(head.map(() => "---")), ...rows.map(row)].join("\n");
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

function inMebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}

function inMs(seconds: number): string {
  return `${(seconds * 1000).toFixed(0)} ms`;
}
