import { REACH_DAYS } from "../../collectors/query-reach.ts";
import type { Config } from "../../config/config.ts";
import type { AccountKey } from "../../gateway/account.ts";
import type { FailureReason, GatewayError } from "../../gateway/errors.ts";
import type { Asked } from "./ask-online.ts";

/**
 * Everything that cannot work, one line each: place, value, reason, advice. Failures with one cause share a line, but
 * each refused key has its own.
 */
export function onlineProblems(config: Config, asked: readonly Asked[]): readonly string[] {
  const failed = asked.flatMap(({ job, failure }) => (failure ? [{ job, failure }] : []));
  const ids = new Set(failed.map(({ job }) => job.id));
  const listed = new Map(
    asked.flatMap(({ answers }) => (answers.keys?.keys ?? []).map((key) => [key.hash, key] as const)),
  );
  const groups = new Map<string, Failed[]>();
  for (const { job, failure } of failed) {
    const reached = isReach(job) && ids.has(`analytics/${queryName(job)}`);
    if (reached) continue;
    const scope = isWorkspaceMissing(job, failure, asked) ? "query" : scopeOf(job, failure);
    const one = {
      job,
      failure,
      place: placeOf(scope, job, config),
      advice: adviceOf(scope, job, failure, { config, listed }),
    };
    const cause = [scope, scope === "key" ? job.id : reasonOf(failure), one.advice].join("\n");
    groups.set(cause, [...(groups.get(cause) ?? []), one]);
  }
  const waiting = asked.filter(({ isAsked }) => !isAsked).map(({ job }) => job);
  return [
    ...[...groups.values()].map((group) => problemOf(group, asked.length)),
    ...(waiting.length === 0
      ? []
      : [
          `${placeOf("gateway", undefined, config)}: the gateway asked to wait before ${titles(waiting)} could be asked. ${ADVICE.rate_limited}`,
        ]),
  ];
}

interface Failed extends Pick<Asked, "job"> {
  readonly failure: GatewayError;
  readonly place: string;
  readonly advice: string;
}

type Job = Asked["job"];

/** What must be changed: the gateway or its address, the management key, a key, or a query. */
type Scope = "gateway" | "management" | "key" | "query";

function scopeOf({ endpoint }: Job, { kind, status }: GatewayError): Scope {
  if (OF_GATEWAY.has(kind) || status === 404 || status === 405) return "gateway";
  if (endpoint === "key") return "key";
  return kind === "bad_request" ? "query" : "management";
}

/** Whether 404 means that the gateway has no such workspace, because it does not answer 404 to everything. */
function isWorkspaceMissing(job: Job, { status }: GatewayError, asked: readonly Asked[]): boolean {
  const isFound = asked.some(
    (one) => one.isAsked && one.job.endpoint !== "account" && one.failure?.status !== 404,
  );
  return status === 404 && job.id.startsWith("discovery/") && isFound;
}

const OF_GATEWAY: ReadonlySet<FailureReason> = new Set([
  "rate_limited",
  "timeout",
  "upstream_error",
  "bad_response",
  "network",
]);

function placeOf(scope: Scope, job: Job | undefined, { gateway, analytics, keys }: Config): string {
  if (scope === "gateway" || !job) return `gateway.base_url: "${gateway.baseUrl}"`;
  if (scope === "management") return `analytics.management_key: ${analytics?.managementKey.origin ?? ""}`;
  if (scope === "key")
    return `keys "${job.name}": ${keys.find(({ name }) => name === job.name)?.secret.origin ?? ""}`;
  const own = analytics?.queries.find(({ name }) => name === queryName(job));
  if (own && job.endpoint === "analytics") return `analytics.queries "${own.name}"`;
  if (isDefaultList(job)) return "discovery";
  return job.id.startsWith("discovery/") ? `discovery.workspaces: "${job.name}"` : job.title;
}

/** Whether the job lists the keys of the workspace that has no UUID in the configuration. */
function isDefaultList({ id }: Job): boolean {
  return id === "discovery/default";
}

interface Known {
  readonly config: Config;
  readonly listed: ReadonlyMap<string, AccountKey>;
}

function adviceOf(scope: Scope, job: Job, failure: GatewayError, { config, listed }: Known): string {
  if (scope === "management") return MANAGEMENT_ADVICE;
  if (scope === "query") return queryAdvice(job, config);
  if (scope === "gateway") {
    const code = /\(([A-Z][A-Z0-9_]+)\)/.exec(failure.message)?.[1] ?? "";
    return (failure.kind === "network" && networkAdvice(code)) || ADVICE[failure.kind];
  }
  const hash = config.keys.find(({ name }) => name === job.name)?.secret.hash?.();
  const isDisabled = hash !== undefined && listed.get(hash)?.disabled === true;
  return isDisabled ? DISABLED_ADVICE : ADVICE[failure.kind];
}

const MANAGEMENT_ADVICE = "Give it a management key of this account";
const DISABLED_ADVICE = "The list of keys shows it as disabled: enable it at the gateway, or remove it here";

const ADVICE: Readonly<Record<FailureReason, string>> = {
  unauthorized: "Replace the secret, or enable the key at the gateway, or remove it here",
  payment_required: "Buy credits, or raise the limit of the key",
  forbidden: "Let the key read its own usage at the gateway, or remove it here",
  rate_limited: "Lower gateway.requests_per_minute, or poll less often with schedule",
  timeout: "Raise gateway.timeout and gateway.deadline, or find out why the gateway is slow",
  upstream_error: "The gateway is failing: try again later, or ask its operator",
  bad_request: "Check the path of the address",
  bad_response: "Check that the address is that of the API",
  network: "Check the address, the network and the proxy",
  secret_unreadable: "Correct the file or the variable that holds the secret",
};

function networkAdvice(code: string): string | undefined {
  if (/CERT|^UNABLE_TO_|^INVALID_|^CRL_|HOSTNAME_MISMATCH/.test(code))
    return "Its certificate is not accepted: correct it, or name the certificate of your certificate authority in NODE_EXTRA_CA_CERTS";
  if (/SSL|TLS|EPROTO/.test(code))
    return "The server does not use TLS at this address: correct the scheme or the port of the address";
  return NETWORK_ADVICE.get(code);
}

const NETWORK_ADVICE: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "Nothing listens there: start the gateway, or correct the address"],
  ["ENOTFOUND", "The host is unknown: correct the address"],
  ["EAI_AGAIN", "The host cannot be resolved now: check DNS"],
]);

function queryAdvice(job: Job, { analytics }: Config): string {
  if (isDefaultList(job)) return "If the gateway has no list of keys, set discovery.enabled to false";
  if (job.id.startsWith("discovery/")) return "Correct the UUID of the workspace";
  const own = analytics?.queries.find(({ name }) => name === queryName(job));
  if (!own) return "The gateway must be able to answer it: ask its operator";
  if (!isReach(job)) return "Correct its dimensions, metrics, filters or window";
  return `On some days window ${own.window} begins ${REACH_DAYS[own.window]} days ago, and the gateway does not reach that far: choose a shorter window`;
}

function isReach({ id }: Job): boolean {
  return id.startsWith("reach/");
}

/** The name of the query that a job runs, or whose reach it checks. */
function queryName({ id }: Job): string {
  return id.slice(id.indexOf("/") + 1);
}

function problemOf(group: readonly Failed[], all: number): string {
  const [first] = group;
  if (!first) return "";
  const jobs = group.map(({ job }) => job);
  const places = [...new Set(group.map(({ place }) => place))];
  const isShared = group.length > 1 || !places[0]?.includes(`"${queryName(first.job)}"`);
  const which = isShared ? ` (${group.length} of ${all} polls: ${titles(jobs)})` : "";
  return `${places.slice(0, MOST_NAMED).join(", ")}: ${reasonOf(first.failure)}${which}. ${first.advice}`;
}

/** The message without the action that failed, which differs between jobs. */
export function reasonOf({ message }: GatewayError): string {
  return message.replace(/^Cannot [^:]*: /, "");
}

const MOST_NAMED = 3;

function titles(jobs: readonly Job[]): string {
  const shown = jobs.slice(0, MOST_NAMED).map(({ title }) => title);
  const more = jobs.length - shown.length;
  return more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(", ");
}
