import { DAY_MS, HOUR_MS, MINUTE_MS } from "../time/window.ts";
import { thresholds } from "./thresholds.ts";

const FIVE_MS = 5 * MINUTE_MS;

/**
 * A ring in the memory of a course: the newest value replaces the oldest. One buffer has them all, because each costs more than
 * a ring holds.
 */
interface Ring {
  readonly first: number;
  readonly length: number;
}
/** An hour, with an incomplete bucket at both ends. */
const FIVES = { first: 0, length: 14 };
const HOURS = { first: 14, length: 8 * 24 };
/** The fastest 15 minutes and the fastest hour, of three days, and of the three hours that are compared with them. */
const QUARTER_PEAKS = { first: 206, length: 3 * 24 + 4 };
const HOUR_PEAKS = { first: 282, length: 3 * 24 + 4 };
/** What was spent in each hour of the day when it was a guide for the last time. */
const HABIT = { first: 358, length: 24 };
/** The share of a typical day that comes after the beginning of each hour. */
const SHARE_AFTER = { first: 382, length: 24 };
/** The fastest hour and the fastest 24 hours of each UTC day: today, yesterday and the week before. */
const HOUR_OF_DAY = { first: 406, length: 9 };
const DAY_OF_DAY = { first: 415, length: 9 };
const ALL = 424;

/**
 * How much of something that has a limit was used over time: five-minute buckets for an hour, hours for eight days. Rates are in
 * credits per millisecond. What is not known is NaN, and no comparison with it is true.
 */
export class Course {
  readonly #values = new Float32Array(new ArrayBuffer(4 * ALL + HOURS.length), 0, ALL).fill(NaN);
  /** Hours whose spend does not show what is usual: without credits (1), or spread over an outage (2). */
  readonly #isNoGuide = new Uint8Array(this.#values.buffer, 4 * ALL);
  /** What a typical day spends. */
  #typicalDay = NaN;
  #sinceMs = NaN;
  #untilMs = NaN;
  #used = NaN;
  #spentMs = NaN;

  /** When the newest reading was requested; NaN: there is none. */
  get untilMs(): number {
    return this.#untilMs;
  }

  /** For how long nothing was spent: since the last spend, or since the course began. */
  get quietMs(): number {
    return this.#untilMs - (this.hasSpent ? this.#spentMs : this.#sinceMs);
  }

  /** Whether a spend was seen, and not only the gateway's history. */
  get hasSpent(): boolean {
    return !Number.isNaN(this.#spentMs);
  }

  /**
   * Adds the running total of a reading. What was used since the last one is spread evenly over the time between; a correction or a
   * refund is no negative spend.
   */
  add(atMs: number, used: number): void {
    if (Number.isNaN(this.#untilMs)) this.#begin(atMs);
    else if (atMs <= this.#untilMs) return;
    const spent = used > this.#used ? used - this.#used : 0;
    if (spent > 0) this.#spentMs = atMs;
    this.#used = used;
    this.#advance(atMs, spent);
  }

  /** Something else is counted from now on: the difference to the next total is no spend. */
  recount(): void {
    this.#used = NaN;
  }

  /**
   * Takes hours of the gateway's own history: those before the course began, and those of an outage, over which the spend was spread
   * evenly. Hours in neither stay unknown.
   */
  seed(hours: readonly { readonly startMs: number; readonly credits: number }[], untilMs: number): void {
    const first = Math.min(...hours.map(({ startMs }) => startMs));
    if (!(untilMs - first > 0)) return;
    if (Number.isNaN(this.#untilMs)) {
      this.#begin(first);
      this.#clear(HOURS);
      this.#clear(FIVES);
      this.#untilMs = untilMs;
    }
    const beganMs = this.#sinceMs;
    this.#sinceMs = Math.min(first, beganMs);
    for (const { startMs, credits } of hours) this.#seedHour(startMs, credits, beganMs);
  }

  /** Learns the habits again, without the hours in which a limit was used up; its windows begin at `windowStart`. */
  relearn(limit: number, windowStart: (atMs: number) => number): void {
    this.#clear(HABIT);
    this.#clear(SHARE_AFTER);
    this.#typicalDay = NaN;
    const now = Math.floor(this.#untilMs / HOUR_MS);
    let [startMs, used] = [NaN, 0];
    for (let hour = now - HOURS.length + 1; hour < now; hour++) {
      const begin = windowStart(hour * HOUR_MS);
      if (begin !== startMs) [startMs, used] = [begin, 0];
      used += orZero(this.#at(HOURS, hour));
      if (used >= (1 - thresholds.dryRatio) * limit) this.#isNoGuide[hour % HOURS.length] = 1;
      this.#learn(hour);
    }
  }

  #seedHour(startMs: number, credits: number, beganMs: number): void {
    const hour = Math.floor(startMs / HOUR_MS);
    if (hour <= Math.floor(this.#untilMs / HOUR_MS) - HOURS.length) return;
    const slot = hour % HOURS.length;
    const known = this.#at(HOURS, hour);
    if (!Number.isNaN(known) && startMs > beganMs && this.#isNoGuide[slot] !== 2) return;
    const before = Number.isNaN(known) || this.#isNoGuide[slot] === 2 ? 0 : known;
    this.#put(HOURS, hour, Math.max(before, credits));
    this.#isNoGuide[slot] = 0;
    const endMs = Math.min(startMs + HOUR_MS, this.#untilMs);
    const perMs = credits / Math.max(endMs - startMs, FIVE_MS);
    this.#raise(QUARTER_PEAKS, hour, this.#isRecent(hour) ? thresholds.seededPeak * perMs : NaN);
    this.#raise(HOUR_PEAKS, hour, this.#isRecent(hour) ? perMs : NaN);
    this.#raise(HOUR_OF_DAY, Math.floor(hour / 24), perMs);
    const oldest = Math.floor(this.#untilMs / FIVE_MS) - FIVES.length + 1;
    for (let five = Math.max(hour * 12, oldest); five < hour * 12 + 12 && five * FIVE_MS < endMs; five++) {
      this.#put(FIVES, five, perMs * Math.min(FIVE_MS, endMs - five * FIVE_MS));
    }
  }

  #isRecent(hour: number): boolean {
    return hour > Math.floor(this.#untilMs / HOUR_MS) - QUARTER_PEAKS.length;
  }

  #begin(atMs: number): void {
    this.#sinceMs = atMs;
    this.#untilMs = atMs;
    this.#put(FIVES, Math.floor(atMs / FIVE_MS), 0);
    this.#put(HOURS, Math.floor(atMs / HOUR_MS), 0);
  }

  #advance(toMs: number, credits: number): void {
    const fromMs = this.#untilMs;
    if (toMs === fromMs) return;
    const first = Math.floor(fromMs / HOUR_MS);
    const last = Math.floor(toMs / HOUR_MS);
    this.#pour(FIVES, FIVE_MS, toMs, credits);
    this.#pour(HOURS, HOUR_MS, toMs, credits);
    for (let hour = Math.max(first + 1, last - HOURS.length + 1); hour <= last; hour++)
      this.#isNoGuide[hour % HOURS.length] = 0;
    for (let hour = Math.max(first + 1, last - QUARTER_PEAKS.length + 1); hour <= last; hour++) {
      this.#put(QUARTER_PEAKS, hour, NaN);
      this.#put(HOUR_PEAKS, hour, NaN);
    }
    for (let day = Math.floor(first / 24) + 1; day <= Math.floor(last / 24); day++) {
      this.#put(HOUR_OF_DAY, day, NaN);
      this.#put(DAY_OF_DAY, day, NaN);
    }
    if (toMs - fromMs > HOUR_MS) {
      for (let hour = Math.max(first, last - HOURS.length + 1); hour <= last; hour++)
        this.#isNoGuide[hour % HOURS.length] = 2;
    }
    this.#untilMs = toMs;
    for (let hour = Math.max(first, last - HOURS.length + 1); hour < last; hour++) this.#learn(hour);
  }

  /** Whether a whole UTC day is known, so that habits are. */
  get knowsDay(): boolean {
    return !Number.isNaN(this.#typicalDay);
  }

  /** Takes a complete hour as a guide, and with its last hour a UTC day. */
  #learn(hour: number): void {
    if (this.#isNoGuide[hour % HOURS.length] === 0 && hour * HOUR_MS >= this.#sinceMs)
      this.#put(HABIT, hour, this.#at(HOURS, hour));
    if (hour % 24 === 23 && (hour - 23) * HOUR_MS >= this.#sinceMs) this.#learnDay(hour);
  }

  #learnDay(hour: number): void {
    const first = hour - 23;
    let total = 0;
    let isDry = false;
    for (let each = first; each <= hour; each++) {
      total += this.#at(HOURS, each);
      isDry ||= this.#isNoGuide[each % HOURS.length] === 1;
    }
    this.#raise(DAY_OF_DAY, Math.floor(hour / 24), total / DAY_MS);
    // A day that ran out of credits would have spent more with them, so it can only raise the typical day.
    if (isDry && !(total <= this.#typicalDay)) this.#typicalDay = total;
    if (isDry || !(total >= 0)) return;
    this.#typicalDay = mean(total, this.#typicalDay);
    if (total === 0) return;
    let later = 0;
    for (let each = hour; each >= first; each--) {
      later += this.#at(HOURS, each);
      this.#put(SHARE_AFTER, each, mean(later / total, this.#at(SHARE_AFTER, each)));
    }
  }

  /** Remembers the present rates as the fastest of this hour, and whether what was left means that the hour is no guide. */
  remember(quarter: number, hour: number, isDry: boolean): void {
    const now = Math.floor(this.#untilMs / HOUR_MS);
    this.#raise(QUARTER_PEAKS, now, quarter);
    this.#raise(HOUR_PEAKS, now, hour);
    if (isDry) this.#isNoGuide[now % HOURS.length] = 1;
  }

  /** Remembers the present rates as the fastest of this UTC day. */
  rememberOfDay(hour: number, day: number): void {
    const today = Math.floor(this.#untilMs / DAY_MS);
    this.#raise(HOUR_OF_DAY, today, hour);
    this.#raise(DAY_OF_DAY, today, day);
  }

  /** The fastest hour and the fastest 24 hours of the seven UTC days before yesterday; NaN for a course younger than four days, because a weekend is no measure. */
  usualPeaks(): { readonly hour: number; readonly day: number } {
    let [hour, day] = [NaN, NaN];
    if (!(this.#untilMs - this.#sinceMs >= 4 * DAY_MS)) return { hour, day };
    const today = Math.floor(this.#untilMs / DAY_MS);
    for (let at = today - 8; at <= today - 2; at++) {
      hour = most(hour, this.#at(HOUR_OF_DAY, at));
      day = most(day, this.#at(DAY_OF_DAY, at));
    }
    return { hour, day };
  }

  /** The rate between two instants; NaN if less than `leastMs` of the time between is known. */
  rate(fromMs: number, toMs: number, leastMs: number): number {
    const isFine = fromMs >= (Math.floor(this.#untilMs / FIVE_MS) - FIVES.length + 1) * FIVE_MS;
    const ring = isFine ? FIVES : HOURS;
    const length = isFine ? FIVE_MS : HOUR_MS;
    const oldest = Math.floor(this.#untilMs / length) - ring.length + 1;
    const [sinceMs, untilMs] = [this.#sinceMs, this.#untilMs];
    let credits = 0;
    let measured = 0;
    for (let bucket = Math.max(Math.floor(fromMs / length), oldest); bucket * length < toMs; bucket++) {
      const value = this.#at(ring, bucket);
      const begin = Math.max(bucket * length, sinceMs);
      const end = Math.min((bucket + 1) * length, untilMs);
      const inside = Math.min(end, toMs) - Math.max(begin, fromMs);
      if (!(inside > 0) || Number.isNaN(value)) continue;
      credits += (value * inside) / (end - begin);
      measured += inside;
    }
    return measured >= leastMs ? credits / measured : NaN;
  }

  /** The rate of the time until now. */
  latest(windowMs: number, leastMs: number): number {
    return this.rate(this.#untilMs - windowMs, this.#untilMs, leastMs);
  }

  /** The fastest 15 minutes and the fastest hour of three days, without the last three hours, which are compared with them; 0 if unknown. */
  peaks(): { readonly quarter: number; readonly hour: number } {
    const until = Math.floor(this.#untilMs / HOUR_MS) - 3;
    let [quarter, hour] = [0, 0];
    for (let at = until - (QUARTER_PEAKS.length - 4); at <= until; at++) {
      quarter = most(quarter, this.#at(QUARTER_PEAKS, at));
      hour = most(hour, this.#at(HOUR_PEAKS, at));
    }
    return { quarter, hour };
  }

  /** The rate of the hour until this time of the day, or `laterMs` later, on the last day on which it is a guide. */
  usual(laterMs: number): number {
    for (let days = 1; days <= 7; days++) {
      const toMs = this.#untilMs - days * DAY_MS + laterMs;
      const fromMs = toMs - HOUR_MS;
      if (!this.#isGuide(fromMs) || !this.#isGuide(toMs - 1)) continue;
      const rate = this.rate(fromMs, toMs, HOUR_MS);
      if (!Number.isNaN(rate)) return rate;
    }
    const time = (this.#untilMs + laterMs) / HOUR_MS;
    const [before, after] = [this.#at(HABIT, Math.floor(time + 23)), this.#at(HABIT, Math.floor(time))];
    return (before * (1 - (time % 1)) + after * (time % 1)) / HOUR_MS;
  }

  #isGuide(atMs: number): boolean {
    const hour = Math.floor(atMs / HOUR_MS);
    return (
      hour > Math.floor(this.#untilMs / HOUR_MS) - HOURS.length && this.#isNoGuide[hour % HOURS.length] === 0
    );
  }

  /**
   * What a typical UTC day still spends after this time: half the weight is yesterday's, a quarter the day before's, and so on. Today's
   * spend is weighted in.
   */
  restOfDay(): number {
    const time = (this.#untilMs % DAY_MS) / HOUR_MS;
    const [now, next] = [Math.floor(time), Math.floor(time) + 1];
    const [from, to] = [this.#at(SHARE_AFTER, now), next < 24 ? this.#at(SHARE_AFTER, next) : 0];
    const share = from + (to - from) * (time % 1);
    return (share * (this.#today() + this.#typicalDay)) / (2 - share);
  }

  /** The share of the last seven days that would need more than some credits after this time of the day. Days without credits do not count. */
  daysThatNeed(credits: number): number {
    const today = Math.floor(this.#untilMs / DAY_MS) * 24;
    const hour = Math.floor((this.#untilMs % DAY_MS) / HOUR_MS);
    let [days, needing] = [0, 0];
    for (let first = today - 24; first >= today - 7 * 24; first -= 24) {
      let [after, isDry] = [0, false];
      for (let each = first + hour; each < first + 24; each++) {
        after += this.#at(HOURS, each);
        isDry ||= this.#isNoGuide[each % HOURS.length] === 1;
      }
      if (after > credits) needing++;
      if (after > credits || (!isDry && after >= 0)) days++;
    }
    return days === 0 ? 1 : needing / days;
  }

  /** What was spent since midnight UTC; NaN if the course is younger. */
  #today(): number {
    const last = Math.floor(this.#untilMs / HOUR_MS);
    const first = last - (last % 24);
    if (first * HOUR_MS < this.#sinceMs) return NaN;
    let credits = 0;
    for (let hour = first; hour <= last; hour++) credits += this.#at(HOURS, hour);
    return credits;
  }

  /** Adds credits to the buckets from the newest reading until an instant. A bucket that begins in between is new. */
  #pour(ring: Ring, bucketMs: number, toMs: number, credits: number): void {
    const fromMs = this.#untilMs;
    const first = Math.floor(fromMs / bucketMs);
    const last = Math.floor(toMs / bucketMs);
    const perMs = credits / (toMs - fromMs);
    for (let bucket = Math.max(first, last - ring.length + 1); bucket <= last; bucket++) {
      const inside = Math.min((bucket + 1) * bucketMs, toMs) - Math.max(bucket * bucketMs, fromMs);
      const before = bucket > first ? 0 : orZero(this.#at(ring, bucket));
      this.#put(ring, bucket, before + perMs * inside);
    }
  }

  #at({ first, length }: Ring, index: number): number {
    return this.#values[first + (index % length)] ?? NaN;
  }

  #put({ first, length }: Ring, index: number, value: number): void {
    this.#values[first + (index % length)] = value;
  }

  #raise(ring: Ring, index: number, value: number): void {
    this.#put(ring, index, most(this.#at(ring, index), value));
  }

  #clear({ first, length }: Ring): void {
    this.#values.fill(NaN, first, first + length);
  }
}

function orZero(value: number): number {
  return Number.isNaN(value) ? 0 : value;
}

function most(one: number, other: number): number {
  return one >= other || Number.isNaN(other) ? one : other;
}

function mean(newer: number, older: number): number {
  return Number.isNaN(older) ? newer : (newer + older) / 2;
}
