import { keyFamilies as families } from "../../../exporter/collectors/key-families.ts";
import { type InputSeries, seriesOf, type Value } from "./input-series.ts";
import { JOB } from "../../../dashboards/rules/settings.ts";

/** A key with a given behaviour of spend, gateway and exporter, minute by minute from 1970-01-01 00:00 UTC, a Thursday. */
export interface SimulatedKey {
  readonly name: string;
  readonly team?: string;
  /** Null for unlimited. */
  readonly limit: number | null | ((minute: number) => number | null);
  readonly reset: "daily" | "weekly" | "monthly" | "never";
  /** Credits that callers try to spend in a minute; the gateway refuses the part beyond the limit. */
  readonly spend: (minute: number) => number;
  /** Credits refunded in a minute. */
  readonly refund?: (minute: number) => number;
  /** Whether the gateway answers. */
  readonly answers?: (minute: number) => boolean;
  /** Whether the gateway refuses the key (401) instead of answering. */
  readonly refused?: (minute: number) => boolean;
  /** Time to live of values in minutes. Default 3. */
  readonly timeToLive?: number;
  /** Minutes by which answers lag. */
  readonly lag?: number;
  /** Minutes after a reset in which figures of a window are not published. Default 2. */
  readonly settled?: number;
  /**
   * The exporter's processes by instance label, with the minutes in which they are scraped. Default: one
   * process, always scraped.
   */
  readonly scraped?: Readonly<Record<string, (minute: number) => boolean>>;
}

const DAY = 1440;

/** Simulates the key for a number of minutes. Returns the scraped series and the minute in which the key runs out. */
export function simulateKey(key: SimulatedKey, minutes: number): SimulatedRun {
  const books = keepBooks(key, minutes);
  const instances = Object.entries(key.scraped ?? { "a:9853": () => true });
  const series = instances.flatMap(([instance, scraped]) =>
    readings(key, books).map(({ family, labels, value }) =>
      seriesOf(family, { job: JOB, instance, key: key.name, ...labels }, scrape(minutes, scraped, value)),
    ),
  );
  return { series, exhaustedAt: books.exhaustedAt };
}

export interface SimulatedRun {
  readonly series: readonly InputSeries[];
  /** The first minute in which a call was refused. */
  readonly exhaustedAt: number | undefined;
}

interface Books {
  readonly total: readonly number[];
  readonly exhaustedAt: number | undefined;
  used(kind: SimulatedKey["reset"], minute: number): number;
}

function keepBooks(key: SimulatedKey, minutes: number): Books {
  const total = [1000];
  let exhaustedAt: number | undefined;
  const used = (kind: SimulatedKey["reset"], minute: number) =>
    at(total, minute) - at(total, windowOf(kind, minute).start);
  for (let minute = 0; minute < minutes; minute += 1) {
    const limit = limitAt(key, minute);
    const left = limit === null ? Infinity : Math.max(0, limit - used(key.reset, minute));
    const wanted = key.spend(minute);
    const spent = Math.min(wanted, left);
    if (spent < wanted) exhaustedAt ??= minute;
    total.push(at(total, minute) + spent - (key.refund?.(minute) ?? 0));
  }
  return { total, exhaustedAt, used };
}

interface Reading {
  readonly family: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: (minute: number) => Value;
}

/** The values of one answer: the minute of the request, and the minute up to which the gateway's figures go. */
type Told = (answered: number, known: number) => Value;

function readings(key: SimulatedKey, books: Books): readonly Reading[] {
  const told = (value: Told) => (minute: number) => {
    const answered = lastAnswer(key, minute);
    if (answered === undefined || minute - answered >= (key.timeToLive ?? 3)) return null;
    return value(answered, Math.max(0, answered - (key.lag ?? 0)));
  };
  const windowed = (kind: SimulatedKey["reset"], value: Told) => (minute: number) => {
    const window = windowOf(kind, lastAnswer(key, minute) ?? minute);
    const settled = (answered: number) => answered - window.start >= (key.settled ?? 2) || window.start === 0;
    if (window.end <= minute) return null;
    return told((answered, known) => (settled(answered) ? value(answered, known) : null))(minute);
  };
  const limited =
    (value: Told): Told =>
    (answered, known) =>
      limitAt(key, answered) === null ? null : value(answered, known);
  return [
    { family: families.up.name, value: (minute) => Number(lastAnswer(key, minute) === minute) },
    { family: families.unauthorized.name, value: (minute) => Number(key.refused?.(minute) ?? false) },
    { family: families.lastSuccess.name, value: (minute) => (lastAnswer(key, minute) ?? NaN) * 60 },
    {
      family: families.ownerInfo.name,
      labels: { team: key.team ?? "", project: "", cost_center: "" },
      value: () => 1,
    },
    { family: families.usage.name, value: told((_, known) => at(books.total, known)) },
    { family: families.usageDay.name, value: windowed("daily", (_, known) => books.used("daily", known)) },
    { family: families.usageWeek.name, value: windowed("weekly", (_, known) => books.used("weekly", known)) },
    {
      family: families.usageMonth.name,
      value: windowed("monthly", (_, known) => books.used("monthly", known)),
    },
    { family: families.unlimited.name, value: told((answered) => Number(limitAt(key, answered) === null)) },
    { family: families.limit.name, value: told((answered) => limitAt(key, answered)) },
    {
      family: families.limitReset.name,
      labels: { aigateway_key_limit_reset: key.reset },
      value: told(limited(() => 1)),
    },
    {
      family: families.remaining.name,
      value: windowed(
        key.reset,
        limited((answered, known) => (limitAt(key, answered) ?? 0) - books.used(key.reset, known)),
      ),
    },
    {
      family: families.nextReset.name,
      value: windowed(
        key.reset,
        limited((answered) => (key.reset === "never" ? null : windowOf(key.reset, answered).end * 60)),
      ),
    },
  ];
}

function scrape(
  minutes: number,
  scraped: (minute: number) => boolean,
  value: (minute: number) => Value,
): readonly Value[] {
  return Array.from({ length: minutes }, (_, minute) => (scraped(minute) ? value(minute) : null));
}

function lastAnswer(key: SimulatedKey, minute: number): number | undefined {
  for (let asked = minute; asked >= 0; asked -= 1) if (key.answers?.(asked) ?? true) return asked;
  return undefined;
}

function limitAt(key: SimulatedKey, minute: number): number | null {
  return typeof key.limit === "function" ? key.limit(minute) : key.limit;
}

/** The first 59 days of 1970 are January and February. */
function windowOf(kind: SimulatedKey["reset"], minute: number): { start: number; end: number } {
  const day = Math.floor(minute / DAY);
  switch (kind) {
    case "daily":
      return { start: day * DAY, end: (day + 1) * DAY };
    case "weekly": {
      const monday = day - ((day + 3) % 7);
      return { start: Math.max(0, monday * DAY), end: (monday + 7) * DAY };
    }
    case "monthly":
      return day < 31 ? { start: 0, end: 31 * DAY } : { start: 31 * DAY, end: 59 * DAY };
    case "never":
      return { start: 0, end: Infinity };
  }
}

function at(values: readonly number[], index: number): number {
  return values[index] ?? values.at(-1) ?? 0;
}
