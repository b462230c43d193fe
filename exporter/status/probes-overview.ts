import type { ProbeConfig, ProbingConfig } from "../config/config.ts";
import type { ReadingSource } from "../readings/readings.ts";
import { targetId } from "../readings/target-id.ts";
import type { TargetRow } from "./target-rows.ts";

/** The probes and their total spend. */
export interface ProbesOverview {
  readonly rows: readonly ProbeRow[];
  /** Credits, including those reserved for runs in progress. */
  readonly spentToday: number;
  readonly ceiling: number;
}

/** The last run of a probe. */
export interface ProbeRow extends TargetRow {
  readonly model: string;
  /** Name of the key that pays. */
  readonly key: string;
  readonly lastRunMs: number | undefined;
  /** Why the last run that was due did not begin; undefined after a run. */
  readonly skip: string | undefined;
  readonly wordErrorRate?: number | undefined;
  readonly wordErrorLimit: number;
  readonly durationSeconds?: number | undefined;
  /** Seconds of audio per second of the run. */
  readonly speedFactor?: number | undefined;
  readonly cost?: number | undefined;
}

/** The record of a probe, without its reading. */
export type ProbeRecord = Pick<ProbeRow, "failure" | "skip" | "lastRunMs" | "lastSuccessMs">;

export interface ProbesSource {
  record(name: string): ProbeRecord | undefined;
  spentToday(): number;
}

export function probesOverview(
  { probes, ceilingCredits }: ProbingConfig,
  readings: ReadingSource,
  source: ProbesSource,
): ProbesOverview {
  return {
    rows: probes.map((probe) => probeRow(probe, readings, source)),
    spentToday: source.spentToday(),
    ceiling: ceilingCredits,
  };
}

function probeRow(
  { name, model, key, maxWordErrorRate }: ProbeConfig,
  readings: ReadingSource,
  source: ProbesSource,
): ProbeRow {
  const { failure, lastSuccessMs, lastRunMs, skip } = source.record(name) ?? {};
  const record = { failure, lastSuccessMs, lastRunMs, skip };
  const about = { name, model, key, wordErrorLimit: maxWordErrorRate, ...record };
  const value = readings.shown(targetId("probe", name))?.value;
  if (value?.kind !== "probe") return { ...about, state: "waiting" };
  const { succeeded, wordErrorRate, durationMs, audioSeconds, answer } = value;
  const isTimed = audioSeconds !== undefined && durationMs > 0;
  return {
    ...about,
    state: succeeded ? "up" : "down",
    wordErrorRate,
    durationSeconds: durationMs / 1000,
    speedFactor: isTimed ? (audioSeconds * 1000) / durationMs : undefined,
    cost: answer?.usage.costCredits,
  };
}
