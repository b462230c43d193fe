import { MAX_REQUESTS } from "../../http/limits.ts";
import { BACKFILL_FLAGS, BACKFILL_ONLY } from "./backfill-flags.ts";
import { REPORT_FLAGS } from "./report-flags.ts";
import { RULE_FLAGS } from "./rule-flags.ts";
import { SHARD_FLAGS } from "./shard-flags.ts";

/** Every flag, as Node's `parseArgs` takes it. */
export const FLAGS = {
  "config.file": { type: "string", default: "aigateway-exporter.yaml" },
  "config.auto-reload-interval": { type: "string", default: "0s" },
  "web.listen-address": { type: "string", multiple: true },
  "web.telemetry-path": { type: "string", default: "/metrics" },
  "web.config.file": { type: "string" },
  "web.enable-lifecycle": { type: "boolean", default: false },
  "web.allowed-hosts": { type: "string", default: "" },
  "web.max-requests": { type: "string", default: String(MAX_REQUESTS) },
  "log.level": { type: "string", default: "info" },
  "log.format": { type: "string", default: "json" },
  ...SHARD_FLAGS,
  once: { type: "boolean", default: false },
  online: { type: "boolean", default: false },
  force: { type: "boolean", default: false },
  output: { type: "string", default: "" },
  ...RULE_FLAGS,
  ...REPORT_FLAGS,
  ...BACKFILL_FLAGS,
  version: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

/** What may follow the name of the program. */
export const COMMANDS = [
  "check",
  "probe",
  "report",
  "backfill",
  "rules",
  "dashboards",
  "completion",
] as const;
export type Command = (typeof COMMANDS)[number];

/** Flags that apply to some commands only. */
export const FLAGS_OF_COMMANDS = [
  ["online", "check"],
  ["force", "probe"],
  ["month", "report"],
  ["last", "report"],
  ["by", "report"],
  ["format", "rules", "report", "backfill"],
  ["runbook-base-url", "rules"],
  ["dashboard-base-url", "rules"],
  ["poll-interval", "rules"],
  ["discovery-interval", "rules"],
  ["analytics-interval", "rules"],
  ["probe-interval", "rules"],
  ["output", "dashboards", "backfill"],
  ...BACKFILL_ONLY.map((flag) => [flag, "backfill"] as const),
] as const satisfies readonly (readonly [flag: keyof typeof FLAGS, ...commands: Command[]])[];
