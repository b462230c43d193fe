import { pairSeries } from "../../dashboards/expressions/account-keys.ts";
import { alerts, activeSince } from "../../dashboards/expressions/alerts.ts";
import { processSeries } from "../../dashboards/expressions/process-series.ts";
import { bucketsOf, type Series } from "../../dashboards/promql.ts";
import { budgetFamilies } from "../../exporter/budgets/families.ts";
import {
  queryFamilies,
  rateFamilies,
  usageFamiliesOf,
  ownQueryFamilies,
} from "../../exporter/collectors/analytics-families.ts";
import { accountFamilies, unwatchedFamilies } from "../../exporter/collectors/account-families.ts";
import { discoveryFamilies } from "../../exporter/collectors/discovery-families.ts";
import { layerFamilies, sharedLimitFamilies } from "../../exporter/collectors/key-families.ts";
import { keyFamilies } from "../../exporter/collectors/key-families.ts";
import { selfFamilies } from "../../exporter/metrics/self-families.ts";
import { forecastFamilies } from "../../exporter/forecast/families.ts";
import { probeFamilies } from "../../exporter/probes/families.ts";

/** All series that an expression may select, by name. */
export const knownSeries: ReadonlyMap<string, Series> = new Map(
  [
    ...Object.values(keyFamilies),
    ...Object.values(queryFamilies),
    ...Object.values(rateFamilies),
    ...Object.values(usageFamiliesOf).flatMap((families) => Object.values(families)),
    ...Object.values(accountFamilies),
    ...Object.values(discoveryFamilies),
    ...Object.values(ownQueryFamilies),
    // The same with the labels of their dimensions.
    ...Object.values(pairSeries),
    ...Object.values(unwatchedFamilies),
    ...Object.values(budgetFamilies),
    ...Object.values(forecastFamilies),
    ...Object.values(layerFamilies),
    ...Object.values(sharedLimitFamilies),
    ...Object.values(selfFamilies),
    bucketsOf(selfFamilies.pollDuration),
    ...Object.values(probeFamilies),
    ...Object.values(processSeries),
    alerts,
    activeSince,
  ].map((series): [string, Series] => [series.name, series]),
);
