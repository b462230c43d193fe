import { budgets } from "./budgets.ts";
import { analyticsData } from "./analytics.ts";
import { exporterItself } from "./exporter.ts";
import { keyCredits } from "./key-credits.ts";
import { keyForecast } from "./key-forecast.ts";
import { keyHistory } from "./key-history.ts";
import { keyInputs } from "./key-inputs.ts";
import { keyState } from "./key-state.ts";
import { probes } from "./probes.ts";
import type { RuleGroup } from "./rule.ts";
import { createSettings, type RuleOptions } from "./settings.ts";

/** All rule groups; each depends only on groups before it. */
export function createRules(options: RuleOptions = {}): readonly RuleGroup[] {
  const settings = createSettings(options);
  return [
    keyInputs(settings),
    keyHistory(settings),
    keyForecast(settings),
    keyCredits(settings),
    keyState(settings),
    budgets(settings),
    analyticsData(settings),
    probes(settings),
    exporterItself(settings),
  ];
}
