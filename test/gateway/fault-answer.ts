import { type Answer, refusalAnswer } from "./answer.ts";
import type { Fault } from "./faults.ts";
import { isFields } from "./fields.ts";
import { Refusal, type RefusalDetails } from "./refusal.ts";
import { MINUTE } from "./windows.ts";

/** Applies a fault to the correct answer. Faults of the connection leave it unchanged; delivery applies them. */
export function faultyAnswer(fault: Fault, right: () => Answer, now: number): Answer {
  switch (fault.kind) {
    case "status":
      return statusAnswer(fault, now);
    case "body":
      return givenAnswer(fault);
    case "fields":
      return changedAnswer(right(), fault.set ?? {}, fault.remove ?? []);
    case "slow":
    case "cut":
    case "reset":
      return right();
  }
}

function statusAnswer(fault: Fault & { kind: "status" }, now: number): Answer {
  const details: RefusalDetails = {};
  if (fault.metadata !== undefined) details.metadata = fault.metadata;
  if (fault.retryAfterSeconds !== undefined) details.retryAfterSeconds = fault.retryAfterSeconds;
  if (fault.status === 429) {
    details.metadata ??= { error_type: "rate_limit_exceeded" };
    const minuteEnd = (Math.floor(now / MINUTE) + 1) * MINUTE;
    details.hitLimit = { limit: 20, remaining: 0, resetAt: minuteEnd };
  }
  const answer = refusalAnswer(new Refusal(fault.status, fault.message, details));
  return { ...answer, headers: { ...answer.headers, ...fault.headers }, body: fault.body ?? answer.body };
}

function changedAnswer(
  answer: Answer,
  set: Readonly<Record<string, unknown>>,
  remove: readonly string[],
): Answer {
  const body: unknown = JSON.parse(answer.body);
  for (const [path, value] of Object.entries(set))
    change(body, path.split("."), (parent, name) => (parent[name] = value));
  for (const path of remove) change(body, path.split("."), (parent, name) => delete parent[name]);
  return { ...answer, body: JSON.stringify(body) };
}

function givenAnswer({
  status = 200,
  contentType = "application/json",
  body,
}: Fault & { kind: "body" }): Answer {
  return { status, headers: { "Content-Type": contentType }, body };
}

type Parent = Record<string, unknown>;

function change(
  node: unknown,
  path: readonly string[],
  apply: (parent: Parent, name: string) => unknown,
): void {
  const [name, ...rest] = path;
  if (name === undefined) return;
  if (!isParent(node)) throw new Error(`Cannot change "${path.join(".")}": the answer has no parent for it`);
  if (rest.length === 0) apply(node, name);
  else change(node[name], rest, apply);
}

/** Whether a path can continue into a value: an object, or an array with indexes. */
function isParent(node: unknown): node is Parent {
  return isFields(node) || Array.isArray(node);
}
