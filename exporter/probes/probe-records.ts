import type { ProbeConfig } from "../config/config.ts";
import type { ProbeFailureReason, ProbeSkipReason } from "./families.ts";
import type { ProbeOutcome } from "./probe-run.ts";

/** The outcome of each configured probe's runs; it outlives a reload. */
export interface ProbeRecords {
  get(name: string): ProbeRecord | undefined;
  /**
   * Replaces the configured probes. A probe whose request has changed keeps its counters and loses everything else.
   * Records of removed probes are dropped.
   */
  configure(probes: readonly ConfiguredProbe[]): void;
  /** Returns false and changes nothing if the probe was removed or its request has changed. */
  addOutcome(name: string, question: string, outcome: ProbeOutcome): boolean;
  addSkip(name: string, reason: ProbeSkipReason): void;
}

export interface ConfiguredProbe {
  readonly probe: ProbeConfig;
  /** The identity of the key that pays, with its secret and its gateway. */
  readonly payer: string;
  /** Everything that determines the meaning of the probe's values. */
  readonly question: string;
  /** The longest gap of its schedule, milliseconds. */
  readonly intervalMs: number;
}

export interface ProbeRecord extends ConfiguredProbe {
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
  /** The highest cost of any run so far. */
  readonly highestCostCredits: number;
}

export function createProbeRecords(): ProbeRecords {
  let records = new Map<string, ProbeRecord>();

  function change(name: string, next: Partial<ProbeRecord>): void {
    const record = records.get(name);
    if (record) records.set(name, { ...record, ...next });
  }

  return {
    get: (name) => records.get(name),
    configure: (probes) => {
      const before = records;
      records = new Map(
        probes.map((configured) => [
          configured.probe.name,
          { ...historyOf(configured, before.get(configured.probe.name)), ...configured },
        ]),
      );
    },
    addOutcome: (name, question, { startedMs, failure, answer }) => {
      const record = records.get(name);
      if (record?.question !== question) return false;
      change(name, {
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
      if (record) change(name, { skips: increased(record.skips, reason), skip: reason });
    },
  };
}

type History = Omit<ProbeRecord, keyof ConfiguredProbe>;

function historyOf({ question }: ConfiguredProbe, before: ProbeRecord | undefined): History {
  if (!before) return NEW_HISTORY;
  if (before.question === question) return before;
  const { runs, failures, skips } = before;
  return { ...NEW_HISTORY, runs, failures, skips };
}

const NEW_HISTORY: History = {
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
