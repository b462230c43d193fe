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

/** The table of the documentation: attack, what came of it, result. */
export function documentedTable(result: AttackResult): string {
  const byName = Map.groupBy(result.stories.values(), ({ kind }) => kind.name);
  const rows = [...byName].map(([name, all]) => [name, joined(all, outcome), joined(all, resultOf)]);
  return table(["Attack", "What came of it", "Result"], rows);
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
    [outcome(story), ...[...story.seen].map(([seen, count]) => `${count} ${seen}`)].join("; "),
    `${story.worstMs.toFixed(0)} ms`,
    mebibytes(story.peakBytes),
    [...story.broken].join(", "),
  ]);
}

/** Without counts, which differ from run to run. */
function outcome({ reasons, seen, kind }: Story): string {
  if (reasons.size > 0)
    return [...reasons.keys()]
      .toSorted()
      .map((reason) => `\`${reason}\``)
      .join(", ");
  if (kind.actor !== "client") return "no poll failed";
  return [...seen.keys()].toSorted().join(", ");
}

function resultOf({ broken, seen }: Story): string {
  if (seen.size === 0) return "not tried";
  return broken.size === 0 ? "withstood" : `**${[...broken].map((bound) => BOUNDS[bound]).join("; ")}**`;
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map(cell).join(" | ")} |`)
    .join("\n");
}

function cell(text: string): string {
  return oneLine(text).replaceAll("|", "\\|");
}

function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]+/gu, " ").slice(0, 400);
}
