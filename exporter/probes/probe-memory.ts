import type { ProbingConfig } from "../config/config.ts";
import { createProbeRecords, type ProbeRecords } from "./probe-records.ts";
import { createSpendGuard, type SpendGuard } from "./spend-guard.ts";

/** What is known of probes as long as the process lives, whatever the configuration. */
export interface ProbeMemory {
  readonly guard: SpendGuard;
  readonly records: ProbeRecords;
}

export function createProbeMemory(startedMs: number, probing: () => ProbingConfig | undefined): ProbeMemory {
  const longestRunMs = () => Math.max(0, ...(probing()?.probes ?? []).map(({ timeoutMs }) => timeoutMs));
  return { guard: createSpendGuard(startedMs, longestRunMs), records: createProbeRecords() };
}
