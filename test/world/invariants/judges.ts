import type { Judges } from "../court.ts";
import { createAccountRecovery } from "./account-recovery.ts";
import { createBalance } from "./balance.ts";
import { createBudgets } from "./budgets.ts";
import { createDivision } from "./division.ts";
import { createHealth } from "./health.ts";
import { createListedKeys } from "./listed-keys.ts";
import { createPoliteness } from "./politeness.ts";
import { createPresence } from "./presence.ts";
import { createProbeSpend } from "./probe-spend.ts";
import { createRecovery } from "./recovery.ts";
import { createSums } from "./sums.ts";
import { createTruth } from "./truth.ts";
import { createTurns } from "./turns.ts";
import { createUnwatched } from "./unwatched.ts";

/** Every invariant of one exporter by its name. */
export const JUDGES: Judges = {
  truth: createTruth,
  presence: createPresence,
  turns: createTurns,
  recovery: createRecovery,
  budgets: createBudgets,
  sums: createSums,
  "listed keys": createListedKeys,
  unwatched: createUnwatched,
  balance: createBalance,
  "account recovery": createAccountRecovery,
  politeness: createPoliteness,
  health: createHealth,
  "probe spend": createProbeSpend,
};

/** What several exporters together must keep. */
export const UNION_JUDGES: Judges = {
  "truth of all": createTruth,
  "presence in all": createPresence,
  "budgets of all": createBudgets,
  division: createDivision,
};
