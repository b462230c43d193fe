import type { Config } from "../../config/config.ts";
import { formatDuration } from "../../time/duration.ts";
import { gapsMs } from "../../time/ticker.ts";
import { causeNamed } from "../../gateway/causes.ts";
import type { Asked, Online } from "./request-online.ts";
import { doesWork, onlineProblems, reasonOf } from "./online-problems.ts";
import { asksReach, REACH_DAYS } from "../../collectors/own-query.ts";

/** What a check against the gateway found, one line each. */
export interface OnlineReport {
  /** What works. */
  readonly facts: readonly string[];
  /** What cannot work. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

export function onlineReport(config: Config, { atMs, asked, warnings: logged }: Online): OnlineReport {
  // Where nothing works, an operation that is missing or optional is no news.
  const isAlive = asked.some(doesWork);
  const isOptional = (one: Asked) => isAlive && reachesLess(one, asked);
  const { problems, missing } = onlineProblems(config, {
    atMs,
    asked: asked.filter((one) => !isOptional(one)),
  });
  // The refusals explain why there is no balance.
  const isRefused = asked.some(({ failure }) => failure?.kind === "forbidden");
  const warnings = [
    ...asked
      .filter(({ answers }) => isAlive && !(isRefused && answers.credits === "unproved"))
      .flatMap((one) => warningsOf(one, config, isOptional(one))),
    ...keyWarnings(config, asked),
    ...missing,
    ...logged,
  ];
  const good = asked.filter(isGood);
  const facts = [
    `${config.gateway.baseUrl}: asked once for ${counted(asked.length, "job")}, ${good.length} of them successful`,
    ...keyFacts(config, good),
    ...good.flatMap((one) => factsOf(one, config)),
    ...(config.probing
      ? ["probes: not run, because they cost credits; aigateway-exporter probe NAME runs one"]
      : []),
    `${counted(problems.length, "problem")}, ${counted(warnings.length, "warning")}`,
  ];
  return { facts, problems, warnings };
}

/** Whether the job runs a query of the configuration, or one of those that are built in. */
function isQuery({ id }: Asked["job"]): boolean {
  return id.startsWith("analytics/");
}

/**
 * Whether the gateway answers about this month and not about the last one. It reaches less far back, and nothing in the
 * configuration is wrong.
 */
function reachesLess({ job, failure }: Asked, all: readonly Asked[]): boolean {
  const month = all.find((one) => one.job.id === "analytics/month");
  return job.id === "analytics/last_month" && failure?.status === 400 && month?.failure === undefined;
}

function isGood({ isAsked, failure }: Asked): boolean {
  return isAsked && !failure;
}

/** One line for all keys, because there may be thousands. */
function keyFacts({ keys }: Config, good: readonly Asked[]): readonly string[] {
  if (keys.length === 0) return [];
  const answers = good.flatMap(({ answers: { key } }) => key ?? []);
  const kinds = answers.map(({ isManagementKey }) => isManagementKey);
  const parts = [
    [kinds.filter((kind) => kind === false).length, "ordinary"],
    [kinds.filter((kind) => kind === true).length, "management"],
    [kinds.filter((kind) => kind === undefined).length, "of a kind that the gateway does not report"],
  ] as const;
  const shown = parts.flatMap(([count, kind]) => (count === 0 ? [] : [`${count} ${kind}`]));
  return [
    `keys: ${answers.length} of ${keys.length} accepted${shown.length > 0 ? ` (${shown.join(", ")})` : ""}`,
  ];
}

function factsOf({ job, answers }: Asked, { analytics }: Config): readonly string[] {
  const { capabilities, credits, keys, usage, range } = answers;
  const facts: string[] = [];
  if (capabilities && capabilities !== "unsupported") {
    const { metrics, dimensions, granularities } = capabilities;
    const names = [counted(metrics.length, "metric"), counted(dimensions.length, "dimension")];
    facts.push(`${job.title}: ${[...names, `${granularities.length} granularities`].join(", ")}`);
  }
  if (typeof credits === "object")
    facts.push(`${job.title}: ${credits.boughtCredits} bought, ${credits.usedCredits} used`);
  if (keys) {
    const disabled = keys.keys.filter((key) => key.disabled === true).length;
    const count = `${counted(keys.keys.length, "key")}, ${disabled} of them disabled`;
    facts.push(`${job.title}: ${count}, in ${counted(answers.requests, "request")}`);
  }
  if (usage && range && isQuery(job)) {
    const own = analytics?.queries.find(({ name }) => name === job.name);
    const reach = own && asksReach(own) ? `; ${REACH_DAYS[own.window]} days back can be reached` : "";
    facts.push(`${job.title}: ${counted(usage.rows, "row")} since ${timeText(range.startMs)}${reach}`);
  }
  return facts;
}

function warningsOf(
  { job, failure, warning, answers }: Asked,
  config: Config,
  isOptional: boolean,
): readonly string[] {
  const { capabilities, credits, keys, usage, requests } = answers;
  const own = failure && isOptional ? `${reasonOf(failure)}; its values are absent` : warning;
  const cases: readonly (readonly [applies: boolean | undefined, text: string])[] = [
    [
      capabilities === "unsupported",
      "the gateway does not list them (404); names in analytics.queries are not checked",
    ],
    [credits === "unsupported", "the gateway does not report credits (404), so the balance is unknown"],
    [usage?.truncated, "the gateway has more rows than it sends; the rest is part of _other"],
    [(usage?.warnings ?? 0) > 0 && own === undefined && isQuery(job), "the gateway warns about the query"],
    [keys?.keys.length === 0, "it contains no keys; check the UUID of the workspace"],
  ];
  const applying = cases.flatMap(([applies, text]) => (applies === true ? [text] : []));
  const texts = [
    ...(own === undefined ? [] : [own]),
    ...applying,
    ...(keys ? listWarnings(requests, config) : []),
  ];
  return texts.map((text) => `${job.title}: ${text}`);
}

/** Keys that work, but are not what belongs there. */
function keyWarnings({ keys }: Config, asked: readonly Asked[]): readonly string[] {
  const lists = asked.filter(({ job }) => job.id.startsWith("discovery/"));
  const hashes = new Set(lists.flatMap(({ answers }) => answers.keys?.keys.map(({ hash }) => hash) ?? []));
  // A list of another form of hashes, or one that failed or cannot be read, proves nothing.
  const isComplete =
    lists.every((list) => isGood(list) && list.answers.keys?.unreadableRows === 0) &&
    [...hashes].some((hash) => /^[\da-f]{64}$/.test(hash));
  return asked.filter(isGood).flatMap(({ job, answers: { key } }) => {
    const secret = keys.find(({ name }) => name === job.name)?.secret;
    const hash = secret?.hash?.();
    if (!key || !secret) return [];
    const isStrange = isComplete && hash !== undefined && !hashes.has(hash);
    if (key.isManagementKey !== true && !isStrange) return [];
    const { means, advice } = causeNamed(
      key.isManagementKey === true ? "management_among_keys" : "other_account",
    );
    return [`keys "${job.name}": ${secret.origin}: ${means}. ${advice}`];
  });
}

/** One permit is one request, at one a second (the rate of the endpoint). */
function listWarnings(requests: number, { schedule }: Config): readonly string[] {
  const gapMs = gapsMs(schedule.discovery).shortest;
  const takesMs = requests * 1000;
  if (takesMs <= gapMs) return [];
  return [
    `${requests} requests take ${formatDuration(takesMs)}, but schedule.discovery is every ${formatDuration(gapMs)}; keys are listed every ${formatDuration(takesMs)}`,
  ];
}

function timeText(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** `1 key`, `2 keys`. */
export function counted(amount: number, one: string): string {
  return `${amount} ${one}${amount === 1 ? "" : "s"}`;
}
