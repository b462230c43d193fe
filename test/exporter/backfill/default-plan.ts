import type { BackfillPlan, PlannedKey } from "../../../exporter/backfill/plan.ts";

export const HOUR = 3_600_000;
export const HASH = "a".repeat(64);
export const KEY: PlannedKey = {
  hash: HASH,
  name: "billing",
  owner: { team: "", project: "", costCenter: "" },
};

/** One key, and the first day of 1970 by hour. */
export const DEFAULT_PLAN: BackfillPlan = {
  version: 3,
  request: "",
  format: "openmetrics",
  job: "",
  target: "",
  stepMs: HOUR,
  top: 10,
  plannedAtMs: 24 * HOUR,
  startMs: 0,
  untilMs: 24 * HOUR,
  dataStartMs: 0,
  hoursStartMs: 0,
  keys: [KEY],
  problems: [],
};

/** The state of a backfill that begins. */
export const NOTHING_ANSWERED = {
  count: () => 0,
  has: () => false,
  isAfterKnown: () => false,
  pairsUntilMs: () => undefined,
};
