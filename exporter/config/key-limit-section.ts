import { z } from "zod";
import { isNot, positiveNumber, section } from "./field.ts";

const LIMIT_WINDOWS = ["day", "week", "month", "none"] as const;
const LIMIT_WINDOW_RULE = "day, week, month or none";

const fields = section({
  credits: positiveNumber().describe("Credits that the key may use in the window, without BYOK usage."),
  window: z
    .enum(LIMIT_WINDOWS, { error: ({ input }) => isNot(LIMIT_WINDOW_RULE, input) })
    .meta({ rule: LIMIT_WINDOW_RULE, type: "window" })
    .describe("The UTC day, week (from Monday) or month, or `none` for a limit that never resets."),
});

/** The field `limit` of a key. */
export const keyLimitSection = fields
  .optional()
  .describe(
    "Mirrors a limit that the gateway does not report, such as a guardrail or the limit of a workspace. Metrics, forecasts and alerts use the limit that has less left.",
  );
