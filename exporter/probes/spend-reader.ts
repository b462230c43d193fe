import type { Clock } from "../time/clock.ts";
import type { ProbeConfig } from "../config/config.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { Log } from "../log.ts";
import type { SpendGuard } from "./spend-guard.ts";

/** Reads what the keys of the probes have used before the exporter started, until it is known. */
export interface SpendReader {
  isKnown(): boolean;
  /** Resolves when the spend of the day is known; rejects with the signal's reason. */
  known(): Promise<void>;
}

export interface SpendReaderDependencies {
  readonly clock: Clock;
  readonly log: Log;
  readonly guard: SpendGuard;
  readonly gateway: Pick<Gateway, "readKey">;
  readonly probes: () => readonly ProbeConfig[];
  readonly signal: AbortSignal;
  readonly onChange: () => void;
}

/** How long to wait for another attempt. */
const RETRY_MS = 60_000;

/** How often it is looked at the clock while waiting: one that is stepped fires no timer. */
const LONGEST_WAIT_MS = 30_000;

export function createSpendReader(dependencies: SpendReaderDependencies): SpendReader {
  const { clock, log, guard, gateway, probes, signal } = dependencies;
  let reading: Promise<void> | undefined;
  let failure: string | undefined;

  function missing(): readonly ProbeConfig[] {
    const byKey = new Map(probes().map((probe) => [probe.key, probe]));
    return guard.missing([...byKey.keys()], clock.now()).flatMap((key) => byKey.get(key) ?? []);
  }

  function known(): Promise<void> {
    reading ??= readAll().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  async function readAll(): Promise<void> {
    while (missing().length > 0) {
      const waitMs = guard.tellsFromMs(clock.now()) - clock.now();
      if (waitMs > 0) {
        await clock.sleep(Math.min(waitMs, LONGEST_WAIT_MS), signal);
        continue;
      }
      for (const { key, secret } of missing()) await read(key, secret);
      if (missing().length > 0) await clock.sleep(RETRY_MS, signal);
      else dependencies.onChange();
    }
  }

  async function read(key: string, secret: ProbeConfig["secret"]): Promise<void> {
    const askedAtMs = clock.now();
    try {
      const { usage } = await gateway.readKey(key, secret, signal);
      if (usage.day === undefined) throw new Error(`the answer about key "${key}" has no usage_daily`);
      guard.learn(key, usage.day, askedAtMs);
      failure = undefined;
    } catch (error) {
      if (signal.aborted) throw error;
      const why = error instanceof Error ? error.message : String(error);
      log[why === failure ? "debug" : "warn"](
        { key },
        `Probes wait until the spend of the day is known: ${why}`,
      );
      failure = why;
    }
  }

  return { isKnown: () => missing().length === 0, known };
}
