import { z } from "zod";
import { utcText } from "../time/utc-time.ts";
import { BUCKET_MS, DAY_MS, type Window, windowAt, windowBefore } from "../time/window.ts";
import type { Config, KeyConfig } from "../config/config.ts";
import { gauge, sample } from "../metrics/family.ts";
import { type KnownKey, knownKeys } from "../reports/known-keys.ts";
import type { ReportGateway } from "../reports/report.ts";
import type { KeyInformation } from "../gateway/account.ts";

/**
 * OpenMetrics is for Prometheus, which makes blocks of it. VictoriaMetrics imports lines with milliseconds,
 * and promtool pushes such lines by remote write, to which it adds the label `job` itself.
 */
export const PAST_FORMATS = ["openmetrics", "victoria-metrics", "remote-write"] as const;
export type PastFormat = (typeof PAST_FORMATS)[number];

/** What a backfill was asked for. An interrupted one continues only with the same request. */
export interface BackfillRequest {
  /** Days of the past, today included. */
  readonly days: number;
  /** Where the live series begin, epoch milliseconds; undefined: now. */
  readonly untilMs: number | undefined;
  /** The distance of two samples. */
  readonly stepMs: number;
  readonly format: PastFormat;
  /** The labels that scrapes add to the live series. With an empty `gateway` there is no such label. */
  readonly job: string;
  readonly instance: string;
  readonly gateway: string;
}

const plannedKey = z.object({
  hash: z.string(),
  /** The label `key` of the live series. */
  name: z.string(),
  /** Labels of the owner, as the configuration assigns them now. */
  owner: z.object({ team: z.string(), project: z.string(), costCenter: z.string() }),
  /** No key has samples from before its creation. Undefined: the gateway does not report it. */
  createdAtMs: z.number().optional(),
  /** All-time usage when the plan was made, credits. Undefined: not known. */
  usage: z.number().optional(),
  byokUsage: z.number().optional(),
  /** Whether usage through own provider keys counts toward the limit now. */
  byokInLimit: z.boolean().optional(),
});

/** Everything on which the written bytes depend, besides the answers. */
export const backfillPlan = z.object({
  version: z.literal(3),
  /** The request and the gateway, as text: whether a folder belongs to the same backfill. */
  request: z.string(),
  format: z.enum(PAST_FORMATS),
  job: z.string(),
  /** Labels of every sample, as the exposition prints them. */
  target: z.string(),
  stepMs: z.number(),
  top: z.number(),
  /** When the plan was made, which is the time of the all-time usage. */
  plannedAtMs: z.number(),
  /** The first day that is written. */
  startMs: z.number(),
  untilMs: z.number(),
  /** The first day that is asked for: windows of the first written days begin earlier. */
  dataStartMs: z.number(),
  /** From here on the gateway is asked by hour, before by day. */
  hoursStartMs: z.number(),
  keys: z.array(plannedKey),
  /** What is missing, and why. While there is something, the next run plans again. */
  problems: z.array(z.string()),
});
export type BackfillPlan = z.infer<typeof backfillPlan>;
export type PlannedKey = BackfillPlan["keys"][number];

/** The same plan without a key, whose missing past becomes a problem. */
export function withoutKey(plan: BackfillPlan, hash: string, reason: string): BackfillPlan {
  const own = plan.keys.filter((each) => each.hash === hash);
  const keys = plan.keys.filter((each) => each.hash !== hash);
  const problems = own.map(({ name }) => `key "${name}" has no past: ${reason}`);
  return { ...plan, keys, problems: [...plan.problems, ...problems] };
}

/** Which time is asked for and written. */
export type PlanTimes = Pick<BackfillPlan, "startMs" | "untilMs" | "dataStartMs" | "hoursStartMs">;

/** The request cannot be fulfilled, or the folder cannot be used. */
export class BackfillError extends Error {}

/**
 * The times of a plan. @throws BackfillError
 * @param reachDays how far back the gateway can be asked, with today.
 */
export function planTimes(
  { days, untilMs: wantedMs }: Pick<BackfillRequest, "days" | "untilMs">,
  nowMs: number,
  reachDays: number,
): PlanTimes {
  const untilMs = Math.floor((wantedMs ?? nowMs) / 1000) * 1000;
  const todayMs = windowAt("day", nowMs).startMs;
  const earliestMs = todayMs - (reachDays - 1) * DAY_MS;
  if (untilMs > nowMs)
    throw new BackfillError(`${utcText(untilMs)} (--until) is in the future: live series cannot begin there`);
  const startMs = windowAt("day", untilMs - 1).startMs - (days - 1) * DAY_MS;
  if (startMs < earliestMs) {
    const most = days - (earliestMs - startMs) / DAY_MS;
    const advice = most > 0 ? `use --days=${most} at most` : "use a later --until";
    throw new BackfillError(
      `the gateway keeps ${reachDays} days, back to ${utcText(earliestMs)}, and ${utcText(startMs)} is before that: ${advice}`,
    );
  }
  const dataStartMs = Math.max(earliestMs, windowBefore("month", startMs).startMs);
  const hoursStartMs = Math.max(dataStartMs, todayMs - (HOURLY_DAYS - 1) * DAY_MS);
  return { startMs, untilMs, dataStartMs, hoursStartMs };
}

/** How far back gateways can be asked, and by hour; both with today. */
export const REACH_DAYS = 367;
/** Some refuse whatever begins earlier. */
export const SHORT_REACH_DAYS = 31;
const HOURLY_DAYS = 31;

/** The hours and days that the gateway is asked for, in order. The last one ends where the live series begin. */
export function bucketsOf(
  plan: Pick<BackfillPlan, "dataStartMs" | "hoursStartMs" | "untilMs">,
): readonly Window[] {
  const { dataStartMs, hoursStartMs, untilMs } = plan;
  const buckets: Window[] = [];
  for (let startMs = dataStartMs; startMs < untilMs;) {
    const endMs = startMs + BUCKET_MS[startMs < hoursStartMs ? "day" : "hour"];
    buckets.push({ startMs, endMs: Math.min(endMs, untilMs) });
    startMs = endMs;
  }
  return buckets;
}

/** The days that are written, in order. */
export function daysOf({ startMs, untilMs }: Pick<BackfillPlan, "startMs" | "untilMs">): readonly Window[] {
  const days = Math.ceil((untilMs - startMs) / DAY_MS);
  return Array.from({ length: days }, (_, index) => {
    const dayMs = startMs + index * DAY_MS;
    return { startMs: dayMs, endMs: Math.min(dayMs + DAY_MS, untilMs) };
  });
}

/** How many days a server must keep, so that it deletes nothing of the past before tomorrow. */
export function daysToKeep({ plannedAtMs, startMs }: Pick<BackfillPlan, "plannedAtMs" | "startMs">): number {
  return Math.ceil((plannedAtMs - startMs) / DAY_MS) + 1;
}

/** The timestamp of a sample, and the instant up to which it counts. */
export interface SampleTime {
  readonly atMs: number;
  readonly untilMs: number;
}

/**
 * The samples of a day. The last one has the whole day and comes a second before its end, because the exporter
 * withdraws the values of a window at its end.
 */
export function sampleTimes({ startMs, endMs }: Window, stepMs: number): readonly SampleTime[] {
  const times: SampleTime[] = [];
  for (let atMs = startMs + stepMs; atMs < endMs; atMs += stepMs) times.push({ atMs, untilMs: atMs });
  const last = times.at(-1)?.atMs ?? startMs;
  return endMs - SECOND_MS > last ? [...times, { atMs: endMs - SECOND_MS, untilMs: endMs }] : times;
}

const SECOND_MS = 1000;

/** The questions of a plan. */
export interface PlanGateway extends Pick<ReportGateway, "accountKeys"> {
  /** @throws GatewayError */
  currentKey(key: KeyConfig): Promise<KeyInformation>;
}

/** The request as text, which a folder keeps. The end is fixed with the first plan. */
export function requestText(request: BackfillRequest, { gateway, analytics }: Config): string {
  return JSON.stringify({ ...request, baseUrl: gateway.baseUrl, top: analytics?.top });
}

/**
 * Finds out which keys there are and what they have used in all.
 * @throws GatewayError
 */
export async function makePlan(
  request: BackfillRequest,
  { startMs, untilMs, dataStartMs, hoursStartMs }: PlanTimes,
  config: Config,
  nowMs: number,
  gateway: PlanGateway,
): Promise<BackfillPlan> {
  const known = await knownKeys(config, gateway);
  const problems = known.problems.map((problem) =>
    "key" in problem
      ? `the secret of key "${problem.key}" cannot be read, so the key has no past`
      : `the list of keys of workspace "${problem.workspace}" is incomplete, so some keys have no past`,
  );
  const planned: PlannedKey[] = [];
  for (const key of known.keys) planned.push(await withUsage(key, gateway, (text) => problems.push(text)));
  return {
    version: 3,
    request: requestText(request, config),
    target: targetText(request),
    format: request.format,
    job: request.job,
    stepMs: request.stepMs,
    top: config.analytics?.top ?? 0,
    plannedAtMs: nowMs,
    startMs,
    untilMs,
    dataStartMs,
    hoursStartMs,
    keys: planned.toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    problems,
  };
}

async function withUsage(
  { hash, name, owner, listed, configured }: KnownKey,
  gateway: PlanGateway,
  warn: (text: string) => void,
): Promise<PlannedKey> {
  let information = listed?.information;
  if (!information && configured) {
    information = await gateway.currentKey(configured).catch((error: unknown) => {
      warn(`${error instanceof Error ? error.message : String(error)}, so its all-time usage has no past`);
      return undefined;
    });
  }
  const { usage, byokUsage, byokInLimit } = information ?? {};
  return {
    hash,
    name,
    owner: { team: owner.team, project: owner.project, costCenter: owner.costCenter },
    ...(listed?.createdAtMs !== undefined && { createdAtMs: listed.createdAtMs }),
    ...(usage?.total !== undefined && { usage: usage.total }),
    ...(byokUsage?.total !== undefined && { byokUsage: byokUsage.total }),
    ...(byokInLimit !== undefined && { byokInLimit }),
  };
}

/** The labels of the target as the exposition prints them. */
export function targetText({
  job,
  instance,
  gateway,
}: Pick<BackfillRequest, "job" | "instance" | "gateway">): string {
  const [text] =
    gateway === ""
      ? sample(TARGET, { job, instance }, 1)
      : sample(GATEWAY_TARGET, { job, instance, gateway }, 1);
  return text?.labels ?? "";
}

const TARGET = gauge({ name: "target", help: "", labels: ["job", "instance"], absent: "" });
const GATEWAY_TARGET = gauge({ ...TARGET, labels: ["job", "instance", "gateway"] });
