import type { ProbeConfig } from "../config/config.ts";
import type { Payer } from "./daily-spend.ts";
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
  readonly payer: Payer;
  /** Everything that determines the meaning of the probe's values. */
  readonly question: string;
  /** The longest gap of its schedule, milliseconds. */
  readonly intervalMs: number;
}

export interface ProbeRecord extends ConfiguredProbe, History {}

interface History {
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
}

export function createProbeRecords(): ProbeRecords {
  let records = new Map<string, ProbeRecord>();
  return {
    get: (name) => records.get(name),
    configure: (probes) => {
      const before = records;
      records = new Map(
        probes.map((each) => [each.probe.name, { ...historyOf(each, before.get(each.probe.name)), ...each }]),
      );
    },
    addOutcome: (name, question, { startedMs, failure }) => {
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
      });
      return true;
    },
    addSkip: (name, reason) => {
      const record = records.get(name);
      if (record) records.set(name, { ...record, skips: increased(record.skips, reason), skip: reason });
    },
  };
}

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
};

function increased<Reason>(counts: ReadonlyMap<Reason, number>, reason: Reason): ReadonlyMap<Reason, number> {
  return new Map([...counts, [reason, (counts.get(reason) ?? 0) + 1]]);
}
