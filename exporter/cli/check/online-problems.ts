import type { Config } from "../../config/config.ts";
import { type Cause, causeOf, type Circumstances, isNotThere } from "../../gateway/causes.ts";
import type { GatewayError } from "../../gateway/errors.ts";
import type { Asked, Online } from "./request-online.ts";

/** What was found, one line each: place, cause, reason, advice. */
export interface Found {
  /** What cannot work. Failures with one cause share a line, but each refused key has its own. */
  readonly problems: readonly string[];
  /** What the gateway does not offer; all else works. */
  readonly missing: readonly string[];
}

export function onlineProblems(config: Config, { asked, atMs }: Pick<Online, "asked" | "atMs">): Found {
  const failed = asked.flatMap(({ job, failure }) => (failure ? [{ job, failure }] : []));
  const ids = new Set(failed.map(({ job }) => job.id));
  const known = knownOf(config, asked, atMs);
  const groups = new Map<string, Failed[]>();
  for (const { job, failure } of failed) {
    if (isReach(job) && ids.has(`analytics/${queryName(job)}`)) continue;
    // Where every key is refused alike, an operation that is missing is no news.
    if (known.isAlike === true && known.isAllMissing !== true && isNotThere(failure)) continue;
    const cause = causeOf(failure, circumstancesOf(job, known));
    const one = { job, failure, cause, place: placeOf(cause, job, failure, config) };
    const group = [cause.name, cause.place === "request" ? reasonOf(failure) : one.place].join("\n");
    groups.set(group, [...(groups.get(group) ?? []), one]);
  }
  // The unwatched spend is asked for when the keys and their lists are known.
  const waiting = asked
    .filter(({ isAsked, job }) => !isAsked && !job.id.startsWith("unwatched/"))
    .map(({ job }) => job);
  const isDown = failed.length > 0 && failed.every(({ failure }) => failure.status === undefined);
  const lines = (some: readonly Failed[][]) =>
    some.map((group) =>
      problemOf(group, groups.size > 1 || known.doOthersWork === true ? asked.length : undefined),
    );
  const all = [...groups.values()];
  const problems = [
    ...lines(all.filter((group) => !isNotOffered(group))),
    ...seriesProblem(config, asked),
    ...(waiting.length === 0 || isDown
      ? []
      : [
          `gateway.base_url: "${config.gateway.baseUrl}": The gateway asked to wait before ${titles(waiting)} could be asked. Lower gateway.requests_per_minute, or check again later`,
        ]),
  ];
  return { problems, missing: lines(all.filter(isNotOffered)) };
}

function isNotOffered([one]: readonly Failed[]): boolean {
  return one?.cause.name === "not_offered" && one.job.endpoint !== "key";
}

function seriesProblem({ seriesLimit }: Config, asked: readonly Asked[]): readonly string[] {
  const refused = asked.filter(({ isRefused }) => isRefused).map(({ job }) => job);
  if (refused.length === 0) return [];
  return [
    `series_limit: ${seriesLimit} series leave no room for ${titles(refused)}. Raise it, or lower analytics.top and the top of your queries`,
  ];
}

interface Failed extends Pick<Asked, "job"> {
  readonly failure: GatewayError;
  readonly cause: Cause;
  readonly place: string;
}

type Job = Asked["job"];

interface Known extends Pick<Circumstances, "doOthersWork" | "isAlike" | "isAllMissing"> {
  readonly doesManagementWork: boolean;
  readonly listedOf: (job: Job) => Circumstances["listed"];
}

/** What the answers to all requests say about each of them. */
function knownOf({ keys }: Config, asked: readonly Asked[], atMs: number): Known {
  const tried = asked.filter(({ isAsked }) => isAsked);
  const failures = tried.flatMap(({ failure }) => failure ?? []);
  const isAllMissing = failures.every(isNotThere);
  const present = failures.filter((failure) => isAllMissing || !isNotThere(failure));
  const kinds = new Set(
    present.map(({ status, details: { sent, page } }) => [status, sent, page].join("\n")),
  );
  const secrets = new Set(
    tried.flatMap(({ job, failure }) => (failure ? [job.endpoint === "key" ? job.name : ""] : [])),
  );
  const working = tried.filter(doesWork);
  const rows = new Map(
    asked.flatMap(({ answers }) => (answers.keys?.keys ?? []).map((key) => [key.hash, key])),
  );
  return {
    doOthersWork: working.length > 0,
    isAlike: secrets.size > 1 && kinds.size === 1 && working.length === 0,
    isAllMissing: working.length === 0 && isAllMissing,
    doesManagementWork: working.some(({ job }) => job.endpoint !== "key"),
    listedOf: ({ endpoint, name }) => {
      const hash = keys.find((key) => key.name === name)?.secret.hash?.();
      const row = endpoint === "key" && hash !== undefined ? rows.get(hash) : undefined;
      if (row?.disabled === true) return "disabled";
      return (row?.information.expiresAtMs ?? Infinity) <= atMs ? "expired" : undefined;
    },
  };
}

/** Whether a request got what it asked for. */
export function doesWork({ isAsked, isUnanswered, failure }: Asked): boolean {
  return isAsked && !isUnanswered && failure === undefined;
}

function circumstancesOf(job: Job, { listedOf, doesManagementWork, ...known }: Known): Circumstances {
  const list = isDefaultList(job) ? "list" : "workspace";
  return {
    ...known,
    doesSecretWork: job.endpoint !== "key" && doesManagementWork,
    endpoint: job.endpoint,
    listed: listedOf(job),
    asked: isReach(job) ? "reach" : job.id.startsWith("discovery/") ? list : undefined,
  };
}

function placeOf(
  cause: Cause,
  job: Job,
  failure: GatewayError,
  { gateway, analytics, keys }: Config,
): string {
  const isTls = gateway.baseUrl.startsWith("https:");
  if (cause.place === "proxy") return `${isTls ? "HTTPS_PROXY" : "HTTP_PROXY"}: "${failure.details.proxy}"`;
  if (cause.place === "address") return `gateway.base_url: "${gateway.baseUrl}"`;
  if (cause.place === "secret")
    return job.endpoint === "key"
      ? `keys "${job.name}": ${keys.find(({ name }) => name === job.name)?.secret.origin ?? ""}`
      : `analytics.management_key: ${analytics?.managementKey.origin ?? ""}`;
  const isQuery = job.id.startsWith("analytics/") || isReach(job);
  const own = analytics?.queries.find(({ name }) => isQuery && name === queryName(job));
  if (own) return `analytics.queries "${own.name}"`;
  if (isDefaultList(job)) return "discovery";
  return job.id.startsWith("discovery/") ? `discovery.workspaces: "${job.name}"` : job.title;
}

/** Whether the job lists keys of workspaces that have no UUID in the configuration. */
function isDefaultList({ id }: Job): boolean {
  return id === "discovery/default" || id === "discovery/all";
}

function isReach({ id }: Job): boolean {
  return id.startsWith("reach/");
}

/** The name of the query that a job runs, or whose reach it checks. */
function queryName({ id }: Job): string {
  return id.slice(id.indexOf("/") + 1);
}

/** @param all the number of polls; undefined: each of them failed like this. */
function problemOf(group: readonly Failed[], all: number | undefined): string {
  const [first] = group;
  if (!first) return "";
  const { cause, failure } = first;
  const places = [...new Set(group.map(({ place }) => place))];
  const place = listed(places);
  // What could not be reached at all was asked a few times only.
  const isShared =
    failure.status !== undefined && places.length === 1 && (group.length > 1 || cause.place === "address");
  const polls =
    all === undefined
      ? "every request alike"
      : `${group.length} of ${all} polls: ${titles(group.map(({ job }) => job))}`;
  const which = isShared ? `; ${polls}` : "";
  return `${place}: ${cause.means} (${reasonOf(failure)}${which}). ${cause.advice}`;
}

/** The message without the action that failed, which differs between jobs. */
export function reasonOf({ message }: GatewayError): string {
  return message.replace(/^Cannot [^:]*: /, "");
}

function titles(jobs: readonly Job[]): string {
  return listed(jobs.map(({ title }) => title));
}

function listed(texts: readonly string[]): string {
  const more = texts.length - MOST_NAMED;
  const shown = texts.slice(0, MOST_NAMED).join(", ");
  return more > 0 ? `${shown} and ${more} more` : shown;
}

const MOST_NAMED = 3;
