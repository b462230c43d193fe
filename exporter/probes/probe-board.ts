import type { ProbeConfig } from "../config/config.ts";
import type { Log } from "../log.ts";
import type { Store } from "../readings/store.ts";
import type { ProbeSkipReason } from "./families.ts";
import { describeOutcome, describeSkip } from "./probe-log.ts";
import type { ProbeRecords } from "./probe-records.ts";
import type { ProbeOutcome } from "./probe-run.ts";
import { outcomeSamples, probeDescription } from "./probe-samples.ts";

/** Counts, says and shows what becomes of a probe. */
export interface ProbeBoard {
  /** False: it is another question than before under this name, and the values of that one are withdrawn. */
  adopt(probe: ProbeConfig): boolean;
  conclude(probe: ProbeConfig, outcome: ProbeOutcome, maxCostCredits: number): void;
  skip(probe: ProbeConfig, reason: ProbeSkipReason): void;
}

export interface ProbeBoardDependencies {
  readonly store: Store;
  readonly records: ProbeRecords;
  readonly log: Log;
  /** Base URL of the gateway that is asked. */
  readonly gatewayUrl: string;
  readonly intervalMs: number;
  /** Told after each change of the store. */
  readonly onChange: () => void;
}

/** How many intervals the values of the last run are shown. */
const INTERVALS_TO_LIVE = 3;

export function createProbeBoard(dependencies: ProbeBoardDependencies): ProbeBoard {
  const { store, records, log, gatewayUrl, intervalMs, onChange } = dependencies;

  function describe(probe: ProbeConfig): void {
    const record = records.get(probe.name);
    if (record) store.describe(targetOf(probe.name), probeDescription(probe, record, intervalMs));
    onChange();
  }

  return {
    adopt: (probe) => {
      const isSame = records.add(probe, gatewayUrl);
      if (!isSame) store.withdraw(targetOf(probe.name));
      describe(probe);
      return isSame;
    },
    conclude: (probe, outcome, maxCostCredits) => {
      const { name } = probe;
      describeOutcome(log, name, outcome, records.get(name)?.failure, maxCostCredits);
      records.addOutcome(name, outcome);
      const samples = outcomeSamples(probe, outcome);
      const answer = { samples, askedAtMs: outcome.startedMs, timeToLiveMs: INTERVALS_TO_LIVE * intervalMs };
      if (!store.put(targetOf(name), answer)) {
        log.error({ series: samples.length }, `Cannot show probe "${name}": series_limit is reached`);
      }
      describe(probe);
    },
    skip: (probe, reason) => {
      describeSkip(log, probe.name, reason, records.get(probe.name)?.skip);
      records.addSkip(probe.name, reason);
      describe(probe);
    },
  };
}

/** The target of a probe in the store and for the pace. */
export function targetOf(name: string): string {
  return `probe/${name}`;
}
