import { FOREIGN } from "../account-keys.ts";
import { type AccountId, sumOf } from "../books.ts";
import { DAY_MS, formerStart, type WindowName, windowStart } from "../calendar.ts";
import type { GatewayName } from "../story.ts";
import { calmAt } from "../troubles.ts";
import type { Judge, Scrape, World } from "../world.ts";
import type { WorldBackfill } from "../world-backfill.ts";

/**
 * A backfill writes what the books had at each whole hour, of each key under the name that the running exporter gives
 * it, or nothing. Its sums over models and apps are those of the account.
 */
export function createBackfilled(world: World): Judge {
  let last: Scrape | undefined;

  /** The account that the management key belongs to. */
  function isForeign(): boolean {
    const { analytics } = world.settings();
    return analytics !== undefined && world.files.tokens(analytics.file).at(-1)?.account === FOREIGN;
  }

  function judgeKey(
    sample: PastSample,
    { hash, ledger, until }: { hash: string; ledger: GatewayName; until: Until },
  ) {
    const number = world.files.accountOfHash(hash, isForeign());
    const [, part = "", window] = KEY_FAMILY.exec(sample.family) ?? [];
    const kind = part === "usage" ? "usage" : "byok";
    if (part === "") return [];
    if (number === undefined) return [`${sample.text} is of a key that the gateway does not know`];
    const account = { gateway: ledger, number };
    if (isWindow(window)) {
      const fromMs = windowStart(window, sample.atMs);
      const bounds = until.atMost(sample).map((atMs) => Math.max(atMs, fromMs));
      return outside(
        sample,
        bounds.map((toMs) => spentBy(world, account, kind, fromMs, toMs)),
      );
    }
    // What was spent between the answers may be missing, or be counted twice.
    const [lateMs = 0, endMs = 0] = until.atMost({ untilMs: Infinity });
    const unsure = spentBy(world, account, kind, lateMs, endMs);
    const total = world.books.key(account, sample.untilMs)[kind].total;
    return outside(sample, [total - unsure, total + unsure]);
  }

  /** The pairs of one query at one time. */
  function judgePairs(query: string, samples: readonly PastSample[], ledger: GatewayName, until: Until) {
    const [first] = samples;
    if (!first) return [];
    const [fromMs, toMs] = rangeOf(query, first);
    const [lateMs = 0, endMs = 0] = until.atMost({ untilMs: toMs });
    const [least, most] = [lateMs, endMs].map((atMs) =>
      world.books.pairs(ledger, fromMs, Math.max(fromMs, atMs)),
    );
    if (!least || !most) return [];
    const microsOf = (pairs: typeof most, name: string) =>
      pairs.find(({ model, app }) => `${model}|${app ?? "_none"}` === name)?.micros ?? 0;
    const sum = samples.reduce((all, { micros }) => all + micros, 0);
    const whole = { ...first, micros: sum, text: `the sum of ${query} ${first.text}` };
    return [
      ...samples.flatMap((sample) =>
        sample.pair.startsWith("_other") ? [] : outside(sample, [0, microsOf(most, sample.pair)]),
      ),
      ...outside(whole, [sumOf(least).micros, sumOf(most).micros]),
    ];
  }

  /** The exporter that runs at the end has the same key under each name. */
  function judgeNames({ plan }: WorldBackfill, ledger: GatewayName): readonly string[] {
    const calm = last && calmAt(world, last);
    if (!last || !calm || last.at - calm.since < calm.analytics.upMs) return [];
    const { exposition, at, atMs } = last;
    return plan.keys.flatMap(({ name, hash }) => {
      const number = world.files.accountOfHash(hash, isForeign());
      const shown = exposition.value("aigateway_key_usage_credits", { key: name });
      if (number === undefined || shown === undefined) return [];
      const [least, most] = [atMs - OLDEST_MS, atMs].map(
        (ms) => world.books.key({ gateway: ledger, number }, ms).usage.total / 1e6,
      );
      const isSame = least !== undefined && most !== undefined && least <= shown && shown <= most;
      return isSame ? [] : [`the backfill has the past of ${hash} as ${name}, which is another key at ${at}`];
    });
  }

  return {
    scraped: (scrape) => {
      last = scrape;
      return [];
    },
    backfilled: (past) => {
      // With a wrong clock, the command asks about other hours.
      if (Math.abs(world.time.skewMs()) > 1000) return [];
      const { gateway } = world.settings();
      const ledger = isForeign() ? OTHER[gateway] : gateway;
      const hashes = new Map(past.plan.keys.map(({ name, hash }) => [name, hash]));
      const until = untilOf(past.plan.plannedAtMs);
      const samples = past.days.flatMap((text) => [...samplesOf(text, past.plan.untilMs)]);
      const ofPairs = samples.filter(({ family }) => PAIR_FAMILY.test(family));
      const pairs = Map.groupBy(ofPairs, ({ family, atMs }) => `${family} ${atMs}`);
      return [
        ...samples.flatMap((sample) => {
          if (sample.key === undefined) return [];
          const hash = hashes.get(sample.key);
          return hash === undefined
            ? [`${sample.text} is of no planned key`]
            : judgeKey(sample, { hash, ledger, until });
        }),
        ...[...pairs].flatMap(([name, all]) =>
          judgePairs(PAIR_FAMILY.exec(name)?.[1] ?? "", all, ledger, until),
        ),
        ...judgeNames(past, ledger),
      ];
    },
  };
}

function spentBy(
  { books }: World,
  account: AccountId,
  part: "usage" | "byok",
  fromMs: number,
  toMs: number,
): number {
  const until = (atMs: number) => books.key(account, atMs)[part].total;
  return until(toMs) - until(fromMs);
}

interface PastSample {
  readonly family: string;
  readonly key: string | undefined;
  readonly pair: string;
  readonly micros: number;
  readonly atMs: number;
  /** Until when its value counts: the last one of a day has the whole day. */
  readonly untilMs: number;
  readonly text: string;
}

function* samplesOf(text: string, endMs: number): Generator<PastSample> {
  for (const [line, family = "", labels = "", value, seconds] of text.matchAll(LINE)) {
    const atMs = Number(seconds) * 1000;
    const label = (name: string) => new RegExp(`[{,]${name}="([^"]*)"`).exec(`,${labels}`)?.[1];
    const isLast = (atMs + 1000) % DAY_MS === 0 || atMs + 1000 === endMs;
    yield {
      family,
      key: label("key"),
      pair: `${label("model")}|${label("app")}`,
      micros: Math.round(Number(value) * 1e6),
      atMs,
      untilMs: isLast ? atMs + 1000 : atMs,
      text: line.trim(),
    };
  }
}

const LINE = /^(aigateway_\w+)\{(.*)\} (\S+) (\S+)$/gm;
const KEY_FAMILY = /^aigateway_key_(usage|byok_usage)_(?:(day|week|month)_)?credits$/;
const PAIR_FAMILY = /^aigateway_usage_(day|last_day|month|last_month)_credits\b/;
const OTHER = { a: "b", b: "a" } as const;

function isWindow(text: string | undefined): text is WindowName {
  return text === "day" || text === "week" || text === "month";
}

/** The earliest and the latest time until which the amounts of an answer may count. */
interface Until {
  atMost(sample: Pick<PastSample, "untilMs">): readonly number[];
}

/** The command accepts answers that lag a little. */
function untilOf(askedMs: number): Until {
  return {
    atMost: ({ untilMs }) => [Math.min(untilMs, askedMs - LAG_MS), Math.min(untilMs, askedMs + LONGEST_MS)],
  };
}

function rangeOf(query: string, { atMs, untilMs }: PastSample): readonly [number, number] {
  if (query === "last_day") return [formerStart("day", atMs), windowStart("day", atMs)];
  if (query === "last_month") return [formerStart("month", atMs), windowStart("month", atMs)];
  return [windowStart(query === "day" ? "day" : "month", atMs), untilMs];
}

/** Rounding is no difference. */
function outside({ micros, text }: PastSample, [least = 0, most = 0]: readonly number[]): readonly string[] {
  return micros >= least - 2 && micros <= most + 2
    ? []
    : [`the backfill writes ${text}, the books have ${least / 1e6} to ${most / 1e6}`];
}

const LAG_MS = 91_000;
/** All questions of a backfill. */
const LONGEST_MS = 3_600_000;
/** Longer than any time to live. */
const OLDEST_MS = 4 * 3_600_000;
