import { quantile } from "../soak/measurements.ts";
import { type AttackResult, BOUNDS, type Breach, type Bound, type Story } from "./result.ts";

/** A run as a page of markdown. */
export function reportOf(result: AttackResult): string {
  const minutes = (result.endedMs - result.startedMs) / 60_000;
  return [
    `# Attack: seed ${result.seed}, ${minutes.toFixed(1)} minutes`,
    "",
    table(["Bound", "Broken", "Measured"], bounds(result)),
    "",
    table(["Path", "Answers", "p50 ms", "p99 ms", "max ms"], latencies(result)),
    "",
    ...examples(result),
    table(
      ["Memory", "At most"],
      [...result.memory].map(([name, bytes]) => [name, mebibytes(bytes)]),
    ),
    "",
    table(["Lines", "Log"], shapes(result)),
    "",
    table(["Attack", "On", "What came of it", "Worst answer", "Memory", "Broken"], stories(result)),
    "",
  ].join("\n");
}

/** A line of the documentation for each attack, by its name. */
export function documentedRows(result: AttackResult): ReadonlyMap<string, string> {
  const byName = Map.groupBy(result.stories.values(), ({ kind }) => kind.name);
  return new Map(
    [...byName].map(([name, all]) => [name, row([name, joined(all, strikes), joined(all, resultOf)])]),
  );
}

/** The head of that table. */
export const DOCUMENTED_HEAD = table(["Attack", "What the attacker saw", "Result"], []);

/** The figures of a whole run for the documentation. */
export function documentedFigures(result: AttackResult): string {
  const minutes = ((result.endedMs - result.startedMs) / 60_000).toFixed(0);
  return `Measured in ${minutes} minutes with seed ${result.seed}:\n\n${table(["Bound", "Broken", "Measured"], bounds(result))}`;
}

/** One text for all lanes if they agree. */
function joined(all: readonly Story[], write: (story: Story) => string): string {
  const texts = all.map(write);
  if (new Set(texts).size === 1) return texts[0] ?? "";
  return all.map((story) => `${story.kind.lane}: ${write(story)}`).join("; ");
}

function bounds(result: AttackResult): readonly string[][] {
  const bounded = Object.keys(BOUNDS).filter(isBound);
  const measured: Readonly<Record<Bound, string>> = {
    lives: `${result.starts} starts`,
    answers: `longest ${longest(result).toFixed(0)} ms`,
    memory: `${mebibytes(result.peakBytes)} of ${mebibytes(result.limitBytes)}`,
    secrets: "",
    entry: "",
    honest: "",
    log: `${result.busiestMinute} lines in the busiest minute, ${result.logLines} in all`,
    recovery: result.recoveredAfterMs === undefined ? "not" : `after ${result.recoveredAfterMs} ms`,
    end: result.endings.map(({ attacks, ms, end }) => `${ms} ms (${end}) under ${attacks}`).join(", "),
  };
  return bounded.map((bound) => [
    BOUNDS[bound],
    String(result.breaches.get(bound)?.count ?? 0),
    measured[bound],
  ]);
}

function isBound(name: string): name is Bound {
  return name in BOUNDS;
}

function longest(result: AttackResult): number {
  return Math.max(
    0,
    ...["/metrics", "/-/healthy"].map((path) => quantile(result.latencies.get(path) ?? [0], 1)),
  );
}

function latencies(result: AttackResult): readonly string[][] {
  return [...result.latencies].map(([path, ms]) => [
    path,
    String(ms.length),
    ...[0.5, 0.99, 1].map((share) => quantile(ms, share).toFixed(0)),
  ]);
}

/** The first breaches of each bound: what happened, and during which attacks. */
export function breachLines({ breaches }: AttackResult): readonly string[] {
  return [...breaches].flatMap(([bound, { first }]) => first.map((breach) => `${bound}: ${lineOf(breach)}`));
}

function examples(result: AttackResult): readonly string[] {
  return [...result.breaches].flatMap(([bound, { count, first }]) => [
    `## ${BOUNDS[bound]}: broken ${count} times`,
    "",
    ...first.map((breach) => `- ${lineOf(breach)}`),
    "",
  ]);
}

function lineOf({ atMs, text, during }: Breach): string {
  return `${new Date(atMs).toISOString().slice(11, 23)} ${oneLine(text)} [${during.join(" | ")}]`;
}

function shapes(result: AttackResult): readonly string[][] {
  const all = [...result.shapes].toSorted(([, one], [, other]) => other - one);
  return all.slice(0, 30).map(([shape, count]) => [String(count), shape]);
}

function stories(result: AttackResult): readonly string[][] {
  return [...result.stories.values()].map((story) => [
    story.kind.name,
    story.kind.lane,
    [outcome(story), strikes(story)].filter((text) => text !== "").join("; "),
    `${story.worstMs.toFixed(0)} ms`,
    mebibytes(story.peakBytes),
    [...story.broken].join(", "),
  ]);
}

/** The reasons of failed polls are known only of an attack that was alone. */
function outcome({ reasons }: Story): string {
  return [...reasons.keys()]
    .toSorted()
    .map((reason) => `\`${reason}\``)
    .join(", ");
}

function strikes({ seen }: Story): string {
  return [...seen].map(([what, count]) => `${count} × ${what}`).join(", ");
}

function resultOf({ broken, seen }: Story): string {
  if (seen.size === 0) return "not tried";
  return broken.size === 0 ? "withstood" : `**${[...broken].map((bound) => BOUNDS[bound]).join("; ")}**`;
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map(row).join("\n");
}

function row(cells: readonly string[]): string {
  return `| ${cells.map(cell).join(" | ")} |`;
}

function cell(text: string): string {
  return oneLine(text).replaceAll("|", "\\|");
}

function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]+/gu, " ").slice(0, 400);
}
