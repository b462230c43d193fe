import { type BackfillRequest, PAST_FORMATS, REACH_DAYS } from "../../backfill/plan.ts";
import { formatDuration, parseDuration } from "../../time/duration.ts";
import { utcMilliseconds } from "../../time/utc-time.ts";
import { DAY_MS } from "../../time/window.ts";
import { oneOf, UsageError } from "./usage-error.ts";

/**
 * The flags of the command `backfill`, which shares `output` with `dashboards` and `format` with `report`;
 * empty where they are not given.
 */
export const BACKFILL_FLAGS = {
  days: { type: "string", default: "" },
  until: { type: "string", default: "" },
  step: { type: "string", default: "" },
  job: { type: "string", default: "" },
  instance: { type: "string", default: "" },
  gateway: { type: "string", default: "" },
  url: { type: "string", default: "" },
  "dry-run": { type: "boolean", default: false },
} as const;

/** Their names. */
export const BACKFILL_ONLY = [
  "days",
  "until",
  "step",
  "job",
  "instance",
  "gateway",
  "url",
  "dry-run",
] as const;

export interface BackfillFlags {
  readonly format: string;
  readonly days: string;
  readonly until: string;
  readonly step: string;
  readonly job: string;
  readonly instance: string;
  readonly gateway: string;
}

const MINUTE_MS = 60_000;
/** Prometheus forgets a value after five minutes. */
const STEP_MS = 5 * MINUTE_MS;
const DAYS = 31;

/** @throws UsageError */
export function backfillRequest({
  format,
  days,
  until,
  step,
  job,
  instance,
  gateway,
}: BackfillFlags): BackfillRequest {
  if (instance === "")
    throw new UsageError(
      "The command backfill needs --instance=HOST:PORT, the label that Prometheus gives to the live series",
    );
  return {
    days: days === "" ? DAYS : numberOfDays(days),
    untilMs: until === "" ? undefined : instant(until),
    stepMs: step === "" ? STEP_MS : distance(step),
    format: oneOf("format", PAST_FORMATS, format === "" ? "openmetrics" : format),
    job: job === "" ? "aigateway-exporter" : job,
    instance,
    gateway,
  };
}

/** The server to ask, without a slash at the end; undefined without the flag. @throws UsageError */
export function serverUrl(text: string): string | undefined {
  if (text === "") return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isUsable = url && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "";
  if (!isUsable)
    throw new UsageError(
      "Cannot ask the server (--url): expected a URL without query and fragment, such as http://localhost:9090",
    );
  if (isEncoded(`${url.username}:${url.password}`)) return url.href.replace(/\/+$/, "");
  throw new UsageError("Cannot ask the server (--url): write % as %25 in its user and password");
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function numberOfDays(text: string): number {
  const days = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (days >= 1 && days <= REACH_DAYS) return days;
  throw new UsageError(
    `Cannot backfill "${text}" days (--days): expected a number from 1 to ${REACH_DAYS}, as far as gateways remember`,
  );
}

function instant(text: string): number {
  const ms = utcMilliseconds(text);
  if (ms !== undefined) return ms;
  throw new UsageError(`Cannot end at "${text}" (--until): expected a UTC time such as 2026-11-18T08:30:00Z`);
}

/** A day has a whole number of steps, so that its last sample shows all of it. */
function distance(text: string): number {
  const ms = parseDuration(text) ?? 0;
  if (ms >= MINUTE_MS && DAY_MS % ms === 0) return ms;
  throw new UsageError(
    `Cannot write a sample every "${text}" (--step): expected a duration from 1m that divides a day, such as ${formatDuration(STEP_MS)} or 1h`,
  );
}
