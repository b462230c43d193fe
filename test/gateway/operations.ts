import {
  answerKeyByHash,
  answerKeys,
  answerWorkspaceBudgets,
  answerWorkspaces,
} from "./account/keys-operation.ts";
import { answerAnalytics } from "./analytics/operation.ts";
import { type Answer, jsonAnswer } from "./answer.ts";
import { type Call, type Context, requireManagement } from "./context.ts";
import { answerKey } from "./key-operation.ts";
import { answerTranscription } from "./transcription/operation.ts";
import { dimensionTable, unboundedDimensions } from "./analytics/dimensions.ts";
import { operators } from "./analytics/filters.ts";
import { isRate, metricNames, metricTable } from "./analytics/metrics.ts";
import { granularities } from "./analytics/time.ts";
import { balanceBook } from "./account/account-books.ts";
import type { Endpoint } from "./entities.ts";

export type Operation = {
  readonly endpoint: Endpoint;
  readonly method: "GET" | "POST";
  /** `*` is any one segment. */
  readonly path: string;
  readonly answer: (context: Context, call: Call) => Answer;
};

/** The operations of contract section 4, and those of a whole account. A new one needs one line here and its own file. */
export const operations: readonly Operation[] = [
  { endpoint: "key", method: "GET", path: "/key", answer: answerKey },
  { endpoint: "analytics", method: "POST", path: "/analytics/query", answer: answerAnalytics },
  {
    endpoint: "transcription",
    method: "POST",
    path: "/audio/transcriptions",
    answer: answerTranscription,
  },
  { endpoint: "meta", method: "GET", path: "/analytics/meta", answer: answerMeta },
  { endpoint: "keys", method: "GET", path: "/keys", answer: answerKeys },
  { endpoint: "keys", method: "GET", path: "/keys/*", answer: answerKeyByHash },
  { endpoint: "workspaces", method: "GET", path: "/workspaces", answer: answerWorkspaces },
  { endpoint: "workspaces", method: "GET", path: "/workspaces/*/budgets", answer: answerWorkspaceBudgets },
  { endpoint: "credits", method: "GET", path: "/credits", answer: answerCredits },
];

/** The operation of a request below the root; undefined for an unknown or missing one. */
export function operationOf(
  method: string,
  path: string,
  missing: readonly Endpoint[],
): Operation | undefined {
  const found = operations.find((operation) => operation.method === method && matches(operation.path, path));
  return found === undefined || missing.includes(found.endpoint) ? undefined : found;
}

function matches(wanted: string, path: string): boolean {
  const [names, segments] = [wanted.split("/"), path.split("/")];
  return (
    names.length === segments.length &&
    names.every((name, index) => name === segments[index] || (name === "*" && segments[index] !== ""))
  );
}

/** GET /credits: bought and spent in all. An ordinary key gets two zeros. */
function answerCredits(context: Context, call: Call): Answer {
  const { switches, ledger, clock } = context;
  if (!call.key.management) {
    return jsonAnswer({ data: { total_credits: 0, total_usage: 0 } });
  }
  const { credits } = balanceBook(ledger, call.key.account, clock.now() - switches.lagMs);
  return jsonAnswer({ data: { total_credits: credits.bought, total_usage: credits.spent } });
}

/** GET /analytics/meta: the names that queries may use. */
function answerMeta(context: Context, call: Call): Answer {
  requireManagement(call.key);
  const { missingMetrics } = context.switches;
  const dimensions = { ...dimensionTable, ...unboundedDimensions };
  return jsonAnswer({
    data: {
      metrics: metricNames
        .filter((name) => !missingMetrics.includes(name))
        .map((name) => ({
          name,
          display_label: metricTable[name].label,
          is_rate: isRate(name),
          display_format: metricTable[name].format,
        })),
      dimensions: Object.entries(dimensions).map(([name, { label }]) => ({ name, display_label: label })),
      operators: operators.map((name) => ({
        name,
        value_type: name === "in" || name === "not_in" ? "array" : "scalar",
      })),
      granularities: granularities.map((name) => ({
        name,
        display_label: name.slice(0, 1).toUpperCase() + name.slice(1),
      })),
    },
  });
}
