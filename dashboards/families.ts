import { budgetFamilies } from "../exporter/budgets/families.ts";
import { accountFamilies } from "../exporter/collectors/account-families.ts";
import { queryFamilies, rateFamilies, usageFamiliesOf } from "../exporter/collectors/analytics-families.ts";
import { discoveryFamilies } from "../exporter/collectors/discovery-families.ts";
import { keyFamilies } from "../exporter/collectors/key-families.ts";
import { ownQueryFamilies } from "../exporter/collectors/own-query-families.ts";
import { unwatchedFamilies } from "../exporter/collectors/unwatched-families.ts";
import type { Family } from "../exporter/metrics/family.ts";
import { selfFamilies } from "../exporter/metrics/self-families.ts";
import { probeFamilies } from "../exporter/probes/families.ts";

/**
 * Every metric family that the exporter can show, each with its name, type, labels, meaning and absence
 * (docs/metrics.md).
 */
export const families: readonly Family[] = [
  keyFamilies,
  ...Object.values(usageFamiliesOf),
  rateFamilies,
  queryFamilies,
  ownQueryFamilies,
  accountFamilies,
  discoveryFamilies,
  unwatchedFamilies,
  budgetFamilies,
  probeFamilies,
  selfFamilies,
].flatMap((group) => Object.values<Family>(group));
