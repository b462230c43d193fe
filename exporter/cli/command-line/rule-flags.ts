import type { RuleOptions } from "../../../dashboards/rules/settings.ts";
import { parseDuration } from "../../time/duration.ts";
import { RULE_FORMATS, type RuleFormat } from "../print-rules.ts";
import { oneOf, UsageError } from "./usage-error.ts";

/** The flags of the command `rules`; empty where they are not given. */
export const RULE_FLAGS = {
  format: { type: "string", default: "" },
  "runbook-base-url": { type: "string", default: "" },
  "dashboard-base-url": { type: "string", default: "" },
  "poll-interval": { type: "string", default: "" },
  "discovery-interval": { type: "string", default: "" },
  "analytics-interval": { type: "string", default: "" },
  "probe-interval": { type: "string", default: "" },
} as const;

export type RuleFlags = Readonly<Record<keyof typeof RULE_FLAGS, string>>;

/** @throws UsageError */
export function ruleFormat(values: RuleFlags): RuleFormat {
  return values.format === "" ? "prometheus" : oneOf("format", RULE_FORMATS, values.format);
}

/** @throws UsageError */
export function ruleOptions(values: RuleFlags): RuleOptions {
  return {
    runbookBaseUrl: url(values, "runbook-base-url"),
    dashboardBaseUrl: url(values, "dashboard-base-url"),
    pollIntervalSeconds: seconds(values, "poll-interval"),
    discoveryIntervalSeconds: seconds(values, "discovery-interval"),
    analyticsIntervalSeconds: seconds(values, "analytics-interval"),
    probeIntervalSeconds: seconds(values, "probe-interval"),
  };
}

/** Names of alerts and dashboards are appended, so a query or fragment is refused. */
function url(values: RuleFlags, flag: keyof RuleFlags): string | undefined {
  const text = values[flag];
  if (text === "") return undefined;
  if (/^https?:\/\/[^\s"#?{}]+$/.test(text) && URL.canParse(text)) return text.replace(/\/+$/, "");
  throw new UsageError(
    `Cannot link to "${text}" (--${flag}): expected a URL without query and fragment, such as https://wiki.example/alerts.md`,
  );
}

const LONGEST_MS = 86_400_000;

function seconds(values: RuleFlags, flag: keyof RuleFlags): number | undefined {
  const text = values[flag];
  if (text === "") return undefined;
  const ms = parseDuration(text) ?? 0;
  if (ms >= 1000 && ms <= LONGEST_MS) return Math.ceil(ms / 1000);
  throw new UsageError(
    `Cannot use the interval "${text}" (--${flag}): expected a duration from 1s to 1d, such as 5m`,
  );
}
