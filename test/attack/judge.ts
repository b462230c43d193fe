import { PAGES, SECRETS } from "./books.ts";
import { honestFaults, valuesOf } from "./exposition.ts";
import type { Kind } from "./kind.ts";
import { createLeakSearch } from "./leak-search.ts";
import type { ProgramMessage } from "./messages.ts";
import { type AttackResult, type Bound, note, type Story } from "./result.ts";

/** Watches the bounds and knows which attacks ran when. */
export interface Judge {
  readonly begin: (kind: Kind) => void;
  readonly end: (kind: Kind) => void;
  /** What the programs report. */
  readonly take: (message: ProgramMessage) => void;
  /** A line of the log. */
  readonly line: (text: string) => void;
  /** The resident memory since the last call. */
  readonly memory: (bytes: number) => void;
  readonly breach: (bound: Bound, text: string, sinceMs?: number) => void;
  /** While the exporter starts or stops, nobody answers. */
  readonly excuse: (isExcused: boolean) => void;
  /** When the last probe was answered. */
  readonly answeredMs: () => number;
  /** How long the exporter has waited for a processor since then: on a busy machine that is not its fault. */
  readonly starvedMs: (sinceMs: number) => number;
}

const MOST_MS = 1000;
const MOST_LINES = 100;
/** What an attack causes may show shortly after its end. */
const AFTERMATH_MS = 500;
/** Attacks by which the exporter refuses everybody, as documented. */
const REFUSING = /^a web configuration/;
/** After a start no login is known yet, and the right one waits in turn with wrong ones from the same network. */
const GUESSING = /wrong passwords/;
/** Values that were polled within this time are shown. A starved exporter polls late. */
const OLDEST_MS = 22_000;
const MOST_STARVED_MS = 4000;
/** A start needs this time until every key is shown. */
const START_MS = 10_000;

export function createJudge(result: AttackResult): Judge {
  const { search } = createLeakSearch(SECRETS);
  const running: { readonly story: Story; readonly sinceMs: number; endMs: number }[] = [];
  const lineTimes: number[] = [];
  const isDocumented = createRefusals();
  const starvations: { readonly atMs: number; readonly totalMs: number }[] = [];
  let [isExcused, answeredMs, startedMs] = [true, Date.now(), Date.now()];

  function during(fromMs: number): readonly Story[] {
    return running.filter(({ endMs }) => endMs + AFTERMATH_MS >= fromMs).map(({ story }) => story);
  }
  function breach(bound: Bound, text: string, sinceMs = Date.now()): void {
    note(result, bound, text, during(sinceMs));
  }
  function starvedMs(sinceMs: number): number {
    const before = starvations.findLast(({ atMs }) => atMs <= sinceMs) ?? starvations[0];
    return (starvations.at(-1)?.totalMs ?? 0) - (before?.totalMs ?? 0);
  }
  function leaks(where: string, text: string): void {
    for (const leak of search(text)) breach("secrets", `${where}: ${leak}`, Date.now() - 2 * MOST_MS);
  }
  function probed({ path, atMs, ms, wallMs, end, body }: Extract<ProgramMessage, { type: "probe" }>): void {
    const stories = during(atMs);
    if (isExcused || atMs < startedMs) return;
    const known = result.latencies.get(path) ?? [];
    result.latencies.set(path, known);
    known.push(ms);
    if (end === "200") answeredMs = Date.now();
    if (body !== undefined) leaks(path, body);
    if (isPage(path)) return;
    for (const story of stories) story.worstMs = Math.max(story.worstMs, ms);
    const what = `${path} after ${ms.toFixed(0)} ms (${wallMs.toFixed(0)} ms by the clock): ${end}`;
    const isRefused = isDocumented({ path, end, atMs, startedMs }, stories);
    if (ms > MOST_MS || (end !== "200" && !isRefused)) breach("answers", what, atMs);
    if (path === "/metrics" && body !== undefined && end === "200") compare(body, atMs);
  }

  function compare(body: string, atMs: number): void {
    const values = valuesOf(body);
    for (const name of [
      "nodejs_heap_size_total_bytes",
      "nodejs_heap_size_used_bytes",
      "nodejs_external_memory_bytes",
    ])
      result.memory.set(name, Math.max(result.memory.get(name) ?? 0, values.get(name) ?? 0));
    if (atMs < startedMs + START_MS || starvedMs(Date.now() - OLDEST_MS) > MOST_STARVED_MS) return;
    const faults = honestFaults(values, atMs);
    if (faults.length > 0)
      breach("honest", `${faults.length} faults: ${faults.slice(0, 2).join("; ")}`, atMs);
  }

  return {
    begin: (kind) => {
      const story = result.stories.get(kind);
      if (story) running.push({ story, sinceMs: Date.now(), endMs: Infinity });
    },
    end: (kind) => {
      for (const one of running) if (one.story.kind === kind) one.endMs = Math.min(one.endMs, Date.now());
      while (running[0] && running[0].endMs < Date.now() - 120_000) running.shift();
    },
    take: (message) => {
      if (message.type === "probe") {
        starvations.push({ atMs: Date.now(), totalMs: message.starvedMs });
        if (starvations.length > 1000) starvations.shift();
        probed(message);
      }
      if (message.type === "overdue" && !isExcused && message.atMs >= startedMs && !isPage(message.path))
        breach("answers", `${message.path}: no answer within ${message.ms.toFixed(0)} ms`, message.atMs);
      if (message.type === "breach") breach("entry", message.text, Date.now() - MOST_MS);
      if (message.type !== "strikes") return;
      const { lane, kind, seen } = message;
      const one = running.findLast(({ story }) => story.kind.name === kind && story.kind.lane === lane);
      for (const [what, count] of Object.entries(seen))
        one?.story.seen.set(what, (one.story.seen.get(what) ?? 0) + count);
    },
    line: (text) => {
      const now = Date.now();
      lineTimes.push(now);
      while ((lineTimes[0] ?? now) <= now - 60_000) lineTimes.shift();
      result.logLines += 1;
      const shape = shapeOf(text);
      result.shapes.set(shape, (result.shapes.get(shape) ?? 0) + 1);
      result.busiestMinute = Math.max(result.busiestMinute, lineTimes.length);
      if (lineTimes.length >= MOST_LINES && lineTimes.length % MOST_LINES === 0)
        breach("log", `${lineTimes.length} lines in a minute, the last one: ${text.slice(0, 200)}`);
      leaks("log", text);
    },
    memory: (bytes) => {
      result.peakBytes = Math.max(result.peakBytes, bytes);
      for (const story of during(Date.now())) story.peakBytes = Math.max(story.peakBytes, bytes);
      if (bytes > result.limitBytes) breach("memory", `${(bytes / 2 ** 20).toFixed(0)} MiB`);
    },
    breach,
    excuse: (next) => {
      isExcused = next;
      if (next) return;
      startedMs = answeredMs = Date.now();
      lineTimes.length = 0;
    },
    answeredMs: () => answeredMs,
    starvedMs,
  };
}

function isPage(path: string): boolean {
  return PAGES.some((page) => page === path);
}

function shapeOf(line: string): string {
  const message = /"msg":"((?:[^"\\]|\\.)*)"/.exec(line)?.[1] ?? "not of the log";
  return message.replaceAll(/\\".*?\\"|\/\S+|\d+/g, "…").slice(0, 80);
}

interface AskedAnswer {
  readonly path: string;
  readonly end: string;
  readonly atMs: number;
  /** When the process began. */
  readonly startedMs: number;
}

/** Whether a refusal is one that the documentation names. */
function createRefusals() {
  /** Since when the limit of concurrent scrapes has been reached, by path. */
  const fullSince = new Map<string, number>();

  /** Clients with a login may use the limit up, but not for longer than a scrape may take. */
  function isFull(path: string, end: string, atMs: number): boolean {
    if (!end.startsWith("503 Limit of concurrent requests")) {
      fullSince.delete(path);
      return false;
    }
    const since = fullSince.get(path) ?? atMs;
    fullSince.set(path, since);
    return atMs - since < MOST_MS;
  }

  return ({ path, end, atMs, startedMs }: AskedAnswer, stories: readonly Story[]): boolean =>
    isFull(path, end, atMs) ||
    (atMs < startedMs + START_MS &&
      end.startsWith("503 Too many logins") &&
      stories.some(({ kind }) => GUESSING.test(kind.name))) ||
    (end.startsWith("500") && stories.some(({ kind }) => REFUSING.test(kind.name)));
}
