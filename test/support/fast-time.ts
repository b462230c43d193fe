import type { Clock } from "../../exporter/time/clock.ts";
import { sleepOn } from "./clock.ts";

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
