import { chance } from "../gateway/random.ts";
import { type EndpointName, endOf, type Fault, type GatewayName, type Story } from "./story.ts";

/** One request that the gateway got, and what came of it. */
export interface Question {
  readonly number: number;
  readonly endpoint: EndpointName;
  readonly gateway: GatewayName;
  /** Whose books it is answered by: those of the other gateway for a management key of another account. */
  readonly ledger: GatewayName;
  readonly token: string;
  /** Undefined: the gateway refuses the secret. */
  readonly account: number | undefined;
  /** Elapsed milliseconds. */
  readonly at: number;
  /** True time, epoch milliseconds. */
  readonly atMs: number;
  /** The exporter's monotonic clock. */
  readonly monotonic: number;
  /** How far the exporter's wall clock was ahead of the true time, milliseconds. */
  readonly skewMs: number;
  /** The figures of a good answer are those of this time. */
  readonly asOfMs: number;
  readonly usage: UsageAnswer | undefined;
  /** What an answer about the account contains. */
  readonly page: KeyPage | undefined;
  readonly credits: { readonly bought: number; readonly spent: number } | undefined;
  /** What a transcription cost, millionths of credits. */
  costMicros: number | undefined;
  /** Elapsed milliseconds; undefined: still under way. */
  endedAt: number | undefined;
  /** Lost: no answer, or the exporter did not wait for it. */
  end: "good" | "bad" | "lost" | undefined;
  code: number | undefined;
  /** The wait that a refusal asked for. */
  retryAfterMs: number | undefined;
  /** Whether the fault concerned every account of the endpoint. */
  isGeneral: boolean;
}

/** An answer about the account. */
export interface UsageAnswer {
  readonly startMs: number;
  readonly endMs: number;
  readonly isGrouped: boolean;
  /** By key and model instead of model and app. */
  readonly isOfKeys: boolean;
  /** The hashes of the keys that the query excludes; undefined: it does not exclude any. */
  readonly excluded: ReadonlySet<string> | undefined;
  /** The hash of the only key that it is about; undefined: it is about all. */
  readonly only: string | undefined;
  /** Whether the gateway warns that it does not know some of these. */
  readonly isWarned: boolean;
  /** By model and app, or by key and model. */
  readonly rows: ReadonlyMap<string, Amounts>;
  /** The sum over everything at the same instant, which a partial answer falls short of. */
  readonly total: Amounts;
  /** The rows are not all that the gateway has: truncated, or left out without a word. */
  readonly isPartial: boolean;
}

/** Credits and BYOK in millionths. */
export type Amounts = Readonly<
  Record<"micros" | "byok" | "requests" | "prompt" | "completion" | "reasoning", number>
>;

/** A page of a list of keys. */
export interface KeyPage {
  readonly workspace: string;
  readonly offset: number;
  readonly rows: readonly KeyRow[];
}

export interface KeyRow {
  readonly key: number;
  readonly hash: string;
  readonly title: string;
}

/** What the exporter asked within the last hours. */
export interface Questions {
  add(question: Question): void;
  /** The questions with one secret, oldest first. */
  with(endpoint: EndpointName, gateway: GatewayName, token: string): readonly Question[];
  /** All questions of an endpoint, oldest first. */
  at(endpoint: EndpointName): readonly Question[];
}

/** Longer than any time to live. */
const KEPT_MS = 26 * 3_600_000;

export function createQuestions(): Questions {
  const logs = new Map<string, Question[]>();

  function logOf(name: string): Question[] {
    const log = logs.get(name) ?? [];
    logs.set(name, log);
    return log;
  }

  function put(name: string, question: Question): void {
    const log = logOf(name);
    log.push(question);
    const old = log.findIndex(({ at }) => at >= question.at - KEPT_MS);
    // In large portions, because each one copies the log.
    if (old > 1000) log.splice(0, old);
  }

  return {
    add: (question) => {
      const { endpoint, gateway, token } = question;
      put(endpoint, question);
      put(nameOf(endpoint, gateway, token), question);
    },
    with: (endpoint, gateway, token) => logOf(nameOf(endpoint, gateway, token)),
    at: logOf,
  };
}

function nameOf(endpoint: EndpointName, gateway: GatewayName, token: string): string {
  return `${endpoint} ${gateway} ${token}`;
}

/** The faults of a story, by time. */
export interface FaultSchedule {
  /** The fault that concerns a question; undefined: none. Counts the question against quotas. */
  of(question: Question): Fault | undefined;
}

export function createFaultSchedule({ events, seed }: Pick<Story, "events" | "seed">): FaultSchedule {
  const faults = events.filter((event) => event.do === "fault");
  /** The requests of each quota in its present calendar minute. */
  const used = new Map<Fault, { minute: number; count: number }>();

  function exceeds(fault: Fault, atMs: number): boolean {
    const minute = Math.floor(atMs / 60_000);
    const known = used.get(fault);
    const present = known?.minute === minute ? known : { minute, count: 0 };
    used.set(fault, present);
    return ++present.count > (fault.perMinute ?? 1);
  }

  function concerns(fault: Fault, index: number, question: Question): boolean {
    const { endpoint, account, at, number } = question;
    const isNow = fault.at * 1000 <= at && at < endOf(fault) * 1000;
    if (!isNow || fault.endpoint !== endpoint) return false;
    if (fault.accounts && (account === undefined || !fault.accounts.includes(account))) return false;
    if (fault.oneIn !== undefined && chance(seed, number, 100 + index) * fault.oneIn >= 1) return false;
    return fault.what !== "quota" || exceeds(fault, question.atMs);
  }

  return { of: (question) => faults.find((fault, index) => concerns(fault, index, question)) };
}

/** The kind of a fault, for the table of coverage. */
export function faultName({ what, endpoint, accounts, retryAfter }: Fault): string {
  const hint = retryAfter === undefined ? "" : " with retry-after";
  return `${typeof what === "number" ? `status ${what}` : what}${hint}, ${endpoint}, ${accounts ? "some" : "all"}`;
}
