import { accountBalance } from "./account.ts";
import { accountKeys } from "./account-keys.ts";
import { changeAlerts } from "./alert-changes.ts";
import { budgets } from "./budgets.ts";
import { analyticsData } from "./analytics.ts";
import { exporterItself } from "./exporter.ts";
import { keyCredits } from "./key-credits.ts";
import { keySpend } from "./key-spend.ts";
import { keyState } from "./key-state.ts";
import { probes } from "./probes.ts";
import type { RuleGroup } from "./rule.ts";
import { sharedLimits } from "./pooled-limits.ts";
import { createSettings, type RuleOptions } from "./settings.ts";

/** All rule groups. Each can be evaluated without the others. */
export function createRules(options: RuleOptions = {}): readonly RuleGroup[] {
  const settings = createSettings(options);
  const groups = [
    keyCredits(settings),
    keyState(settings),
    keySpend(settings),
    sharedLimits(settings),
    budgets(settings),
    accountBalance(settings),
    accountKeys(settings),
    analyticsData(settings),
    probes(settings),
    exporterItself(settings),
  ];
  return options.alerts ? changeAlerts(groups, options.alerts) : groups;
}
