import { selfFamilies } from "../../../../exporter/metrics/self-families.ts";
import { type InputSeries, seriesOf } from "../input-series.ts";
import { JOB } from "../../../../dashboards/rules/settings.ts";
import { type AlertCase, eachMinute, exposed } from "./alert-case.ts";
import { analyticsCases } from "./analytics-cases.ts";
import { budgetCases } from "./budget-cases.ts";
import { exporterCases } from "./exporter-cases.ts";
import { keyCreditCases } from "./key-credit-cases.ts";
import { keyStateCases } from "./key-state-cases.ts";
import { probeCases } from "./probe-cases.ts";

/** All cases that span hours. One run evaluates all of them. */
export const cases: readonly AlertCase[] = [
  ...keyCreditCases,
  ...keyStateCases,
  ...budgetCases,
  ...analyticsCases,
  ...probeCases,
  ...exporterCases,
];

/** The series that all cases share: an exporter that is scraped and polls every minute. */
export const commonSeries: readonly InputSeries[] = [
  seriesOf(
    "up",
    { job: JOB, instance: "a:9853" },
    eachMinute(() => 1),
  ),
  exposed(selfFamilies.pollInterval, { collector: "key" }, () => 60),
  exposed(selfFamilies.pollInterval, { collector: "analytics" }, () => 300),
];
