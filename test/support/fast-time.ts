import type { Clock } from "../../exporter/time/clock.ts";
import { sleepOn } from "./clock.ts";
import { expect, onTestFinished } from "vitest";

/** Time that runs faster than the machine's, identically in every process that knows these numbers. */
export interface FastTime {
  readonly speed: number;
  /** A moment of the machine's clock, epoch milliseconds. */
  readonly realMs: number;
  /** The fast time at that moment. */
  readonly shownMs: number;
}

/** The fast time at a moment of the machine's clock, epoch milliseconds. */
export function shownAt({ speed, realMs, shownMs }: FastTime, epochMs: number): number {
  return shownMs + (epochMs - realMs) * speed;
}

/** The moment of the machine's clock at which the fast time shows `epochMs`. */
export function realAt({ speed, realMs, shownMs }: FastTime, epochMs: number): number {
  return realMs + (epochMs - shownMs) / speed;
}

/** The fast time in seconds, as PromQL, because Prometheus itself only knows the machine's clock. */
export function shownInPromql({ speed, realMs, shownMs }: FastTime): string {
  return `((time() - ${realMs / 1000}) * ${speed} + ${shownMs / 1000})`;
}

/** The clock of an exporter in fast time. Unlike the manual clock it moves by itself, so that Prometheus can follow. */
export function createFastClock(time: FastTime): Clock {
  const after = (ms: number, run: () => void): (() => void) => {
    const timer = setTimeout(run, ms / time.speed);
    return () => clearTimeout(timer);
  };
  return {
    now: () => Math.floor(shownAt(time, Date.now())),
    monotonic: () => performance.now() * time.speed,
    after,
    sleep: sleepOn(after),
  };
}

/** Offset of each zone in November, minutes west of UTC. */
const OFFSETS = { UTC: 0, "America/Los_Angeles": 480, "Asia/Kathmandu": -345 } as const;

export type Zone = keyof typeof OFFSETS;

export const ZONES: readonly Zone[] = ["UTC", "America/Los_Angeles", "Asia/Kathmandu"];

/** Sets the local time zone until the test has finished, and checks that JavaScript uses it. */
export function moveTo(zone: Zone): void {
  const before = process.env["TZ"];
  onTestFinished(() => {
    if (before === undefined) delete process.env["TZ"];
    else process.env["TZ"] = before;
  });
  process.env["TZ"] = zone;
  expect(new Date("2026-11-18T12:00:00Z").getTimezoneOffset()).toBe(OFFSETS[zone]);
}
