import type { Clock } from "../../exporter/time/clock.ts";

/** Time that runs faster than the machine's, and the same in every process that knows these numbers. */
export interface FastTime {
  readonly speed: number;
  /** Milliseconds of the machine's clock, */
  readonly realMs: number;
  /** and what is shown then. */
  readonly shownMs: number;
}

/** What the fast time shows at a moment of the machine's clock, epoch milliseconds. */
export function shownAt({ speed, realMs, shownMs }: FastTime, epochMs: number): number {
  return shownMs + (epochMs - realMs) * speed;
}

/** The moment of the machine's clock at which the fast time shows `epochMs`. */
export function realAt({ speed, realMs, shownMs }: FastTime, epochMs: number): number {
  return realMs + (epochMs - shownMs) / speed;
}

/** What it shows, in seconds, as PromQL: Prometheus itself knows the machine's clock only. */
export function shownInPromql({ speed, realMs, shownMs }: FastTime): string {
  return `((time() - ${realMs / 1000}) * ${speed} + ${shownMs / 1000})`;
}

/** The clock of an exporter that lives in the fast time. */
export function createFastClock(time: FastTime): Clock {
  const after = (ms: number, run: () => void): (() => void) => {
    const timer = setTimeout(run, ms / time.speed);
    return () => clearTimeout(timer);
  };
  return {
    now: () => Math.floor(shownAt(time, Date.now())),
    monotonic: () => performance.now() * time.speed,
    after,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const abort = (): void => {
          cancel();
          reject(signal?.reason);
        };
        const cancel = after(ms, () => {
          signal?.removeEventListener("abort", abort);
          resolve();
        });
        if (signal?.aborted) abort();
        else signal?.addEventListener("abort", abort, { once: true });
      }),
  };
}
