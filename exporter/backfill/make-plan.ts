import type { Config, KeyConfig } from "../config/config.ts";
import type { KeyInformation } from "../gateway/key-information.ts";
import { gauge, sample } from "../metrics/family.ts";
import { type KnownKey, knownKeys } from "../reports/known-keys.ts";
import type { ReportGateway } from "../reports/report.ts";
import type { BackfillPlan, BackfillRequest, PlannedKey, PlanTimes } from "./plan.ts";

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
  for (const key of known.keys) planned.push(await plannedKey(key, gateway, (text) => problems.push(text)));
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

async function plannedKey(
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
