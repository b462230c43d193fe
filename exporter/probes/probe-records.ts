import type { ProbeConfig } from "../config/config.ts";
import type { ProbeFailureReason, ProbeSkipReason } from "./families.ts";
import type { ProbeOutcome } from "./probe-run.ts";

/** The outcome of each configured probe's runs; it outlives a reload. */
export interface ProbeRecords {
  get(name: string): ProbeRecord | undefined;
  /**
   * Makes a probe known. Under a known name with another question the counters go on and everything else starts over.
   * Records of probes that are not in the list are dropped.
   */
  configure(probes: readonly Pick<KnownProbe, "name" | "question">[]): void;
  /** Ignored unless the probe is still known with that question. False: it was ignored. */
  addOutcome(probe: KnownProbe, outcome: ProbeOutcome): boolean;
  addSkip(name: string, reason: ProbeSkipReason): void;
}

export interface KnownProbe {
  readonly name: ProbeConfig["name"];
  /** Everything that decides what the values of a probe mean. */
  readonly question: string;
}

export interface ProbeRecord {
  /** Counted since the exporter started. */
  readonly runs: number;
  readonly failures: ReadonlyMap<ProbeFailureReason, number>;
  readonly skips: ReadonlyMap<ProbeSkipReason, number>;
  readonly lastRunMs: number | undefined;
  readonly lastSuccessMs: number | undefined;
  /** Why the last run failed; undefined after a success. */
  readonly failure: ProbeOutcome["failure"];
  /** Why the last due run did not begin; undefined after a run. */
  readonly skip: ProbeSkipReason | undefined;
  /** The most that a run has cost. */
  readonly highestCostCredits: number;
}

export function createProbeRecords(): ProbeRecords {
  let records = new Map<string, ProbeRecord & { readonly question: string }>();

  return {
    get: (name) => records.get(name),
    configure: (probes) => {
      records = new Map(
        probes.map(({ name, question }) => {
          const known = records.get(name);
          if (known?.question === question) return [name, known];
          const counters = known && { runs: known.runs, failures: known.failures, skips: known.skips };
          return [name, { ...NEW_RECORD, ...counters, question }];
        }),
      );
    },
    addOutcome: ({ name, question }, { startedMs, failure, answer }) => {
      const record = records.get(name);
      if (record?.question !== question) return false;
      records.set(name, {
        ...record,
        runs: record.runs + 1,
        failures: failure ? increased(record.failures, failure.reason) : record.failures,
        lastRunMs: startedMs,
        lastSuccessMs: failure ? record.lastSuccessMs : startedMs,
        failure,
        skip: undefined,
        highestCostCredits: Math.max(record.highestCostCredits, answer?.usage.costCredits ?? 0),
      });
      return true;
    },
    addSkip: (name, reason) => {
      const record = records.get(name);
      if (record) records.set(name, { ...record, skips: increased(record.skips, reason), skip: reason });
    },
  };
}

const NEW_RECORD: ProbeRecord = {
  runs: 0,
  failures: new Map(),
  skips: new Map(),
  lastRunMs: undefined,
  lastSuccessMs: undefined,
  failure: undefined,
  skip: undefined,
  highestCostCredits: 0,
};

function increased<Reason>(counts: ReadonlyMap<Reason, number>, reason: Reason): ReadonlyMap<Reason, number> {
  return new Map([...counts, [reason, (counts.get(reason) ?? 0) + 1]]);
}
