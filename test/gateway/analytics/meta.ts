import { type Answer, jsonAnswer } from "../answer.ts";
import { requireManagement } from "../auth.ts";
import type { Call, Context } from "../context.ts";
import { dimensionTable, unboundedDimensions } from "./dimensions.ts";
import { operators } from "./filters.ts";
import { isRate, metricNames, metricTable } from "./metrics.ts";
import { granularities } from "./time.ts";

/** GET /analytics/meta: the names that queries may use. */
export function answerMeta(context: Context, call: Call): Answer {
  requireManagement(call.key);
  const { missingMetrics, missingDimensions } = context.switches;
  const dimensions = { ...dimensionTable, ...unboundedDimensions };
  return jsonAnswer({
    data: {
      metrics: metricNames
        .filter((name) => !missingMetrics.includes(name))
        .map((name) => ({
          name,
          display_label: metricTable[name].label,
          is_rate: isRate(name),
          display_format: metricTable[name].format,
        })),
      dimensions: Object.entries(dimensions)
        .filter(([name]) => !missingDimensions.includes(name))
        .map(([name, { label }]) => ({ name, display_label: label })),
      operators: operators.map((name) => ({
        name,
        value_type: name === "in" || name === "not_in" ? "array" : "scalar",
      })),
      granularities: granularities.map((name) => ({
        name,
        display_label: name.slice(0, 1).toUpperCase() + name.slice(1),
      })),
    },
  });
}
