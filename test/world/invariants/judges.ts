import type { Judges } from "../run-story.ts";
import { createBudgets } from "./budgets.ts";
import { createHealth } from "./health.ts";
import { createPoliteness } from "./politeness.ts";
import { createPresence } from "./presence.ts";
import { createProbeSpend } from "./probe-spend.ts";
import { createRecovery } from "./recovery.ts";
import { createSums } from "./sums.ts";
import { createTruth } from "./truth.ts";
import { createTurns } from "./turns.ts";

/** Every invariant by its name. */
export const JUDGES: Judges = {
  truth: createTruth,
  presence: createPresence,
  turns: createTurns,
  recovery: createRecovery,
  budgets: createBudgets,
  sums: createSums,
  politeness: createPoliteness,
  health: createHealth,
  "probe spend": createProbeSpend,
};
