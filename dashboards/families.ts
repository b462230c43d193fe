import { budgetFamilies } from "../exporter/budgets/families.ts";
import { collectors } from "../exporter/collectors/index.ts";
import { forecastFamilies } from "../exporter/forecast/families.ts";
import type { Family } from "../exporter/metrics/family.ts";
import { selfFamilies } from "../exporter/metrics/self-families.ts";
import { probeFamilies } from "../exporter/probes/families.ts";

/**
 * Every metric family that the exporter can show, each with its name, type, labels, meaning and absence
 * (docs/metrics.md).
 */
export const families: readonly Family[] = [
  ...collectors.flatMap((collector) => collector.families),
  ...[forecastFamilies, budgetFamilies, probeFamilies, selfFamilies].flatMap((group) =>
    Object.values<Family>(group),
  ),
];
