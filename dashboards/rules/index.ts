import { accountBalance } from "./account.ts";
import { accountKeys } from "./account-keys.ts";
import { budgets } from "./budgets.ts";
import { analyticsData } from "./analytics.ts";
import { exporterItself } from "./exporter.ts";
import { keyCredits, keyReserves } from "./key-credits.ts";
import { keyForecast } from "./key-forecast.ts";
import { keyDays } from "./key-days.ts";
import { keyHistory } from "./key-history.ts";
import { keyInputs } from "./key-inputs.ts";
import { keyEstimates, keyLasts } from "./key-lasts.ts";
import { keyAnswers, keyState } from "./key-state.ts";
import { probes } from "./probes.ts";
import type { RuleGroup } from "./rule.ts";
import { createSettings, type RuleOptions } from "./settings.ts";

/**
 * All rule groups, in the order in which data flow through them. History and the urgent alerts also read a
 * few series of later groups, as of their last evaluation.
 */
export function createRules(options: RuleOptions = {}): readonly RuleGroup[] {
  const settings = createSettings(options);
  return [
    keyInputs(settings),
    keyHistory(settings),
    keyDays(settings),
    keyForecast(settings),
    keyCredits(settings),
    keyReserves(settings),
    keyEstimates(settings),
    keyLasts(settings),
    keyAnswers(settings),
    keyState(settings),
    budgets(settings),
    accountBalance(settings),
    accountKeys(settings),
    analyticsData(settings),
    probes(settings),
    exporterItself(settings),
  ];
}
