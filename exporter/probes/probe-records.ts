import type { ProbeConfig } from "../config/config.ts";
import type { ProbeSkipReason } from "./families.ts";
import type { ProbeOutcome } from "./probe-run.ts";
import type { ProbeCounts } from "./probe-samples.ts";

/** What became of each probe that is configured; it outlives a reload. */
export interface ProbeRecords {
  get(name: string): ProbeRecord | undefined;
  /** Knows the probe of a gateway from now on. False: under this name another probe was known, whose values are not those of this one. */
  add(probe: ProbeConfig, gateway: string): boolean;
  addOutcome(name: string, outcome: ProbeOutcome): void;
  addSkip(name: string, reason: ProbeSkipReason): void;
  remove(name: string): void;
  names(): readonly string[];
}

export interface ProbeRecord extends ProbeCounts {
  /** Why the last run failed; undefined after a success. */
  readonly failure: ProbeOutcome["failure"];
  /** Why the last run that was due was not begun; undefined after a run. */
  readonly skip: ProbeSkipReason | undefined;
  /** The most that a run has cost. */
  readonly highestCostCredits: number;
}

export function createProbeRecords(): ProbeRecords {
  const records = new Map<string, ProbeRecord>();
  const questions = new Map<string, string>();

  function change(name: string, next: (record: ProbeRecord) => Partial<ProbeRecord>): void {
    const record = records.get(name);
    if (record) records.set(name, { ...record, ...next(record) });
  }

  return {
    get: (name) => records.get(name),
    add: (probe, gateway) => {
      const question = questionOf(probe, gateway);
      const isSame = (questions.get(probe.name) ?? question) === question;
      questions.set(probe.name, question);
      const record = records.get(probe.name) ?? NOTHING;
      records.set(probe.name, isSame ? record : { ...NOTHING, ...countsOf(record) });
      return isSame;
    },
    addOutcome: (name, { startedMs, failure, answer }) =>
      change(name, ({ runs, failures, lastSuccessMs, highestCostCredits }) => ({
        runs: runs + 1,
        failures: failure ? increased(failures, failure.reason) : failures,
        lastRunMs: startedMs,
        lastSuccessMs: failure ? lastSuccessMs : startedMs,
        failure,
        skip: undefined,
        highestCostCredits: Math.max(highestCostCredits, answer?.usage.costCredits ?? 0),
      })),
    addSkip: (name, reason) =>
      change(name, ({ skips }) => ({ skips: increased(skips, reason), skip: reason })),
    remove: (name) => {
      records.delete(name);
      questions.delete(name);
    },
    names: () => [...records.keys()],
  };
}

const NOTHING: ProbeRecord = {
  runs: 0,
  failures: new Map(),
  skips: new Map(),
  lastRunMs: undefined,
  lastSuccessMs: undefined,
  failure: undefined,
  skip: undefined,
  highestCostCredits: 0,
};

/** Counters go on when a probe is changed. */
function countsOf({ runs, failures, skips }: ProbeRecord): Partial<ProbeRecord> {
  return { runs, failures, skips };
}

/** All that decides what the values of a probe mean. */
function questionOf(probe: ProbeConfig, gateway: string): string {
  const { model, audio, expectedText, expectedLanguage, responseFormat, upload, key } = probe;
  const { origin, format } = audio;
  const asked = [gateway, key, model, origin, format, responseFormat, upload];
  return JSON.stringify([...asked, expectedText, expectedLanguage ?? null]);
}

function increased<Reason>(counts: ReadonlyMap<Reason, number>, reason: Reason): ReadonlyMap<Reason, number> {
  return new Map([...counts, [reason, (counts.get(reason) ?? 0) + 1]]);
}
