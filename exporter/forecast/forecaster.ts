import {
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  SETTLE_MS,
  windowAt,
  WINDOW_KINDS,
  type WindowKind,
} from "../time/window.ts";
import { type Basis, type BurnWindow, exhaustionOf, restAtReset } from "./basis.ts";
import { Course } from "./course.ts";
import { Hysteresis, type Signals, type Slowness } from "./hysteresis.ts";
import type { Judged, Rates } from "./judged.ts";
import type { Outlook } from "./outlook.ts";
import { goesOnWithout, signalsOfAccount, signalsOfToppedUp } from "./signals-of-account.ts";
import { signalsOfKey } from "./signals-of-key.ts";
import { thresholds } from "./thresholds.ts";

/** One successful answer about something that has a limit. */
export interface LimitReading {
  /** When it was requested, epoch milliseconds. */
  readonly atMs: number;
  /** Everything that counts against the limit, as a running total; undefined: unknown. */
  readonly usedCredits: number | undefined;
  /** Whether that contains use of one's own provider keys; a change is no spend. */
  readonly countsByok?: boolean;
  /** Null: unlimited. Undefined: unknown. */
  readonly limitCredits: number | null | undefined;
  readonly remainingCredits: number | undefined;
  /** Undefined: unknown. Then an exhaustion is announced even if it may come after the reset. */
  readonly nextResetMs: number | "never" | undefined;
  /** The window of the limit. */
  readonly window?: WindowKind | undefined;
  /** Usage of the current UTC windows: the first rates, before there is a course. */
  readonly usedToday?: number | undefined;
  readonly usedThisWeek?: number | undefined;
  readonly usedThisMonth?: number | undefined;
  readonly isDisabled?: true;
  /** An account that buys credits by itself once less is left. */
  readonly topUpBelow?: number | undefined;
}

export interface Forecast {
  readonly outlook: Outlook;
  /**
   * When the credits run out; epoch milliseconds. Present while an exhaustion is announced: with imminent, predicted and slow, and with
   * exhausted if one of them came before (then it is the instant at which they ran out).
   */
  readonly exhaustionMs: number | undefined;
  /** Credits per hour; absent while too little of the window is measured. */
  readonly burn: Readonly<Partial<Record<BurnWindow, number>>>;
  /** The fastest hour and the fastest day of an earlier week, credits per hour; absent for a course of less than four days. */
  readonly usualBurn: Readonly<Partial<Record<BurnWindow, number>>>;
  readonly basis: Basis | undefined;
  /** Credits left at the reset; undefined if they run out before, or if the reset or the rate is unknown. */
  readonly leftAtReset: number | undefined;
  /** The budget of a key that it is about, or `account`; absent: its limit. */
  readonly source?: string;
  /** Present if that bounds other keys as well. The burn is the key's own. */
  readonly isShared?: true;
  /** When the newest reading was requested. */
  readonly asOfMs: number;
}

const NEVER = { patienceMs: 0, memoryMs: 0 };

const KINDS = {
  key: {
    signals: signalsOfKey,
    slowness: {
      exhausted: NEVER,
      imminent: { patienceMs: 0, memoryMs: HOUR_MS },
      predicted: { patienceMs: 0, memoryMs: 12 * HOUR_MS },
      slow: { patienceMs: DAY_MS, memoryMs: 0 },
    },
  },
  account: {
    signals: signalsOfAccount,
    slowness: {
      exhausted: { patienceMs: 5 * MINUTE_MS, memoryMs: 0 },
      imminent: { patienceMs: 10 * MINUTE_MS, memoryMs: 20 * MINUTE_MS },
      predicted: { patienceMs: 30 * MINUTE_MS, memoryMs: HOUR_MS },
      slow: { patienceMs: HOUR_MS, memoryMs: 6 * HOUR_MS },
    },
  },
  toppedUp: {
    signals: signalsOfToppedUp,
    slowness: {
      exhausted: { patienceMs: thresholds.topUpMissing, memoryMs: 0 },
      imminent: { patienceMs: thresholds.topUpMissing, memoryMs: 0 },
      predicted: NEVER,
      slow: NEVER,
    },
  },
} as const satisfies Record<
  string,
  { readonly slowness: Slowness; readonly signals: (judged: Judged) => Signals }
>;

/**
 * Forecasts when the credits of one key, by its limit, or of one account, by its balance, run out. A changed identity needs a new one.
 */
export class Forecaster {
  #kind: keyof typeof KINDS;
  readonly #course = new Course();
  #hysteresis: Hysteresis;
  /** Spending has gone on without credits, so they do not bound it. */
  #isOverdrawn = false;
  /** By hours that are not learnt yet: that needs the limit of the next reading. */
  #isSeeded = false;
  #reading: LimitReading | undefined;
  #forecast: Forecast | undefined;

  constructor(kind: "key" | "account") {
    this.#kind = kind;
    this.#hysteresis = new Hysteresis(KINDS[kind].slowness);
  }

  /** Takes the gateway's own history of hours, before the first reading or after a gap. */
  seed(hours: readonly { readonly startMs: number; readonly credits: number }[], untilMs: number): void {
    this.#course.seed(hours, untilMs);
    this.#isSeeded = true;
    // The history does not show since when a purchase is missing.
    if (this.#kind !== "toppedUp") this.#hysteresis.hurry();
    if (!this.#reading) return;
    this.#relearn(this.#reading);
    this.#forecast = this.#judge(this.#reading);
  }

  /** Takes each successful answer, in order, and judges it. */
  read(reading: LimitReading): void {
    const before = this.#reading;
    if (before && isSame(before, reading)) return;
    // The clock was set back, so what was announced is of times to come.
    if (before && reading.atMs < before.atMs) this.#hysteresis = new Hysteresis(KINDS[this.#kind].slowness);
    if (before && before.countsByok !== reading.countsByok) this.#course.recount();
    if (this.#kind !== "key") this.#use(reading.topUpBelow === undefined ? "account" : "toppedUp");
    if (reading.usedCredits !== undefined) this.#course.add(reading.atMs, reading.usedCredits);
    if (before && isRenewed(before, reading)) this.#hysteresis.renew();
    if (this.#isSeeded) this.#relearn(reading);
    this.#reading = reading;
    this.#forecast = this.#judge(reading);
  }

  #use(kind: keyof typeof KINDS): void {
    if (kind === this.#kind) return;
    this.#kind = kind;
    this.#hysteresis = new Hysteresis(KINDS[kind].slowness);
  }

  #relearn({ limitCredits, window }: LimitReading): void {
    this.#isSeeded = false;
    const startOf = (atMs: number) => (window === undefined ? NaN : windowAt(window, atMs).startMs);
    this.#course.relearn(limitCredits ?? Infinity, startOf);
  }

  /**
   * The forecast at an instant; undefined before the first reading. It stays while the gateway does not answer: until the reset, and for
   * half a day at most. Then it is unknown.
   */
  at(nowMs: number): Forecast | undefined {
    const forecast = this.#forecast;
    if (!forecast || nowMs < this.untilMs) return forecast;
    return {
      ...forecast,
      outlook: "unknown",
      exhaustionMs: undefined,
      basis: undefined,
      leftAtReset: undefined,
    };
  }

  /** Until when the forecast stays the same without another answer or history. */
  get untilMs(): number {
    const [reading, forecast] = [this.#reading, this.#forecast];
    if (!reading || !forecast || forecast.outlook === "unlimited") return Infinity;
    const reset = typeof reading.nextResetMs === "number" ? reading.nextResetMs : Infinity;
    return Math.min(reset, reading.atMs + thresholds.unheard);
  }

  /** Whether spending goes on although nothing is left, until credits are bought. */
  #isContradicted(judged: Judged): boolean {
    const isEmpty = judged.left <= 0 && this.#kind === "account";
    this.#isOverdrawn = isEmpty && (this.#isOverdrawn || goesOnWithout(judged));
    if (this.#isOverdrawn) this.#hysteresis.renew();
    return this.#isOverdrawn;
  }

  #judge(reading: LimitReading): Forecast {
    const rates = ratesOf(this.#course, reading);
    this.#course.rememberOfDay(rates.hour, rates.day);
    const base = {
      burn: burnOf(rates),
      usualBurn: usualBurnOf(this.#course),
      asOfMs: reading.atMs,
      exhaustionMs: undefined,
      basis: undefined,
      leftAtReset: undefined,
    };
    const { limitCredits: limit } = reading;
    // The limit has been reset, so whatever the answer says, nearly all is left.
    const left = isUnsettled(reading) ? (limit ?? undefined) : reading.remainingCredits;
    if (limit === null) return { ...base, outlook: "unlimited" };
    // A limit of 0 and a disabled key are blocked on purpose, and an account that bought nothing is billed in another way.
    if (limit === undefined || left === undefined || limit <= 0 || reading.isDisabled)
      return { ...base, outlook: "unknown" };
    const judged = judgedOf(this.#course, reading, rates, limit, left);
    if (this.#isContradicted(judged)) return { ...base, outlook: "unknown" };
    this.#course.remember(rates.quarter, rates.hour, left <= thresholds.dryRatio * limit);
    const announced = this.#hysteresis.step(reading.atMs, KINDS[this.#kind].signals(judged));
    if (!announced) {
      const outlook = Number.isNaN(rates.sixHours) ? "learning" : "lasts";
      return { ...base, outlook, ...restAtReset(judged) };
    }
    const { level, sinceMs, wasAnnounced } = announced;
    if (level !== "exhausted") return { ...base, outlook: level, ...exhaustionOf(judged, level) };
    return { ...base, outlook: level, exhaustionMs: wasAnnounced ? sinceMs : undefined };
  }
}

/** The limit was reset, raised, removed or replaced, or so much was refunded that all must be judged anew. */
function isRenewed(before: LimitReading, now: LimitReading): boolean {
  if (now.limitCredits === null || now.isDisabled || isUnsettled(now)) return true;
  const [limit, limitBefore] = [now.limitCredits ?? NaN, before.limitCredits ?? NaN];
  const [left, leftBefore] = [now.remainingCredits ?? NaN, before.remainingCredits ?? NaN];
  const isReset = typeof before.nextResetMs === "number" && now.atMs >= before.nextResetMs;
  const isRefunded = left > thresholds.refund * leftBefore && left > 2 * thresholds.dryRatio * limit;
  const isReplaced = limit !== limitBefore && now.window !== before.window;
  return isReset || limit > limitBefore || isReplaced || isRefunded;
}

/** An answer this soon after a reset may still be about the window before. */
function isUnsettled({ atMs, window }: LimitReading): boolean {
  return window !== undefined && atMs < windowAt(window, atMs).startMs + 2 * SETTLE_MS;
}

/** Another answer may be no later, because the clock was set back. */
function isSame(one: LimitReading, other: LimitReading): boolean {
  return (
    one.atMs === other.atMs &&
    one.usedCredits === other.usedCredits &&
    one.remainingCredits === other.remainingCredits
  );
}

function ratesOf(course: Course, reading: LimitReading): Rates {
  return {
    quarter: course.latest(15 * MINUTE_MS, 5 * MINUTE_MS),
    hour: course.latest(HOUR_MS, 10 * MINUTE_MS),
    sixHours: course.latest(6 * HOUR_MS, HOUR_MS),
    day: course.latest(DAY_MS, 6 * HOUR_MS),
    threeDays: isLong(reading) ? course.latest(3 * DAY_MS, DAY_MS) : NaN,
  };
}

function burnOf({ quarter, hour, sixHours, day }: Rates): Forecast["burn"] {
  const burn: Partial<Record<BurnWindow, number>> = {};
  if (!Number.isNaN(quarter)) burn["15m"] = perHour(quarter);
  if (!Number.isNaN(hour)) burn["1h"] = perHour(hour);
  if (!Number.isNaN(sixHours)) burn["6h"] = perHour(sixHours);
  if (!Number.isNaN(day)) burn["1d"] = perHour(day);
  return burn;
}

function usualBurnOf(course: Course): Forecast["usualBurn"] {
  const { hour, day } = course.usualPeaks();
  return {
    ...(!Number.isNaN(hour) && { "1h": perHour(hour) }),
    ...(!Number.isNaN(day) && { "1d": perHour(day) }),
  };
}

function perHour(rate: number): number {
  return Number((rate * HOUR_MS).toPrecision(6));
}

function judgedOf(course: Course, reading: LimitReading, rates: Rates, limit: number, left: number): Judged {
  const { atMs, nextResetMs } = reading;
  const resetMs = typeof nextResetMs === "number" ? nextResetMs - atMs : Infinity;
  const restOfDay = resetMs <= DAY_MS ? course.restOfDay() : NaN;
  const windowRate = () => windowRateOf(reading);
  return {
    course,
    nowMs: atMs,
    left,
    limit,
    resetMs,
    isLong: isLong(reading),
    rates,
    windowRate,
    restOfDay,
    topUpBelow: reading.topUpBelow ?? 0,
  };
}

/** The largest mean rate of the current UTC windows. One that has just begun counts as an hour, because its rate means little. */
function windowRateOf(reading: LimitReading): number {
  const used = { day: reading.usedToday, week: reading.usedThisWeek, month: reading.usedThisMonth };
  const rates = WINDOW_KINDS.map((kind) => {
    const elapsedMs = reading.atMs - windowAt(kind, reading.atMs).startMs;
    return (used[kind] ?? 0) / Math.max(elapsedMs, HOUR_MS);
  });
  return Math.max(...rates);
}

function isLong({ nextResetMs, window }: LimitReading): boolean {
  return nextResetMs === "never" || window === "month";
}
