import { chance } from "../gateway/random.ts";
import type { Question } from "./questions.ts";
import { endOf, type Fault, type Story } from "./story.ts";

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
