import { Dispatcher } from "undici";
import type { Connect } from "../../exporter/gateway/http.ts";
import { chance } from "../gateway/random.ts";
import { type AccountKeys, FOREIGN, isManagement } from "./account-keys.ts";
import { answerTo, type Reply } from "./answers.ts";
import type { Books } from "./books.ts";
import { GATEWAY_URLS } from "./config-text.ts";
import type { Question, Questions } from "./questions.ts";
import { faultName, type FaultSchedule } from "./questions.ts";
import { type EndpointName, type Fault, type GatewayName, type Story } from "./story.ts";
import type { WorldClock } from "./world-clock.ts";
import type { WorldFiles } from "./world-files.ts";
import type { Coverage } from "./calendar.ts";

export interface WorldGatewayDependencies {
  readonly story: Story;
  readonly time: WorldClock;
  readonly books: Books;
  readonly files: Pick<WorldFiles, "accountOf" | "accountOfHash" | "listedHash">;
  readonly keys: AccountKeys;
  readonly questions: Questions;
  readonly faults: FaultSchedule;
  readonly coverage: Coverage;
  /** The most that one transcription may cost, millionths of credits. */
  readonly costMicros: () => number;
  /** Called for each request as it is sent. */
  readonly onQuestion: (question: Question) => void;
}

/** The connections of the exporter to both gateways, without sockets. */
export function createWorldGateway(dependencies: WorldGatewayDependencies): Connect {
  const { story, time, books, files, keys, questions, faults, coverage, onQuestion } = dependencies;
  let count = 0;

  function questionOf(origin: string, endpoint: EndpointName, headers: unknown): Question {
    const authorization = String(Object(headers).authorization);
    const token = authorization.replace("Bearer ", "");
    const account = keys.accepted(files.accountOf(token), time.trueMs());
    const gateway = gatewayOf(origin);
    return {
      number: count++,
      endpoint,
      gateway,
      ledger: account === FOREIGN ? OTHER_GATEWAY[gateway] : gateway,
      token,
      account,
      at: time.elapsedMs(),
      atMs: time.trueMs(),
      monotonic: time.clock.monotonic(),
      skewMs: time.skewMs(),
      asOfMs: time.trueMs() - story.lagSeconds * 1000,
      ...UNANSWERED,
    };
  }

  function latencyOf(question: Question, fault: Fault | undefined): number {
    const ordinary = 1 + Math.floor(chance(story.seed, question.number, 1) * story.latencyMs);
    if (fault?.what === "slow") return 1000 + Math.floor(chance(story.seed, question.number, 2) * 7000);
    return fault?.what === "late" ? 40_000 : ordinary;
  }

  function chargeFor(question: Question, fault: Fault | undefined): number | undefined {
    const { endpoint, gateway, account, atMs, number } = question;
    const isRefused = account === undefined || typeof fault?.what === "number" || fault?.what === "quota";
    if (endpoint !== "transcription" || isRefused) return undefined;
    const micros = Math.ceil(dependencies.costMicros() * (0.3 + 0.7 * chance(story.seed, number, 4)));
    books.charge({ gateway, number: account }, atMs, micros);
    coverage.count("charged transcription");
    return micros;
  }

  return (origin) => {
    const open = new Set<(error: Error) => void>();
    const connections: Pick<Dispatcher, "dispatch" | "destroy"> = {
      dispatch: ({ path, headers, body }, handler) => {
        // An older service, which has no operation about the account.
        const endpoint = ENDPOINTS[path.replace(/\?.*/, "")];
        const isUnknown = endpoint === "account" && !story.account;
        if (endpoint === undefined || isUnknown) return refuseUnknown(handler, time);
        const question = questionOf(origin, endpoint, headers);
        questions.add(question);
        const fault = faults.of(question);
        coverage.count(fault ? faultName(fault) : "good answer");
        question.costMicros = chargeFor(question, fault);
        const reply: Reply = answerTo(question, fault, {
          path,
          body: typeof body === "string" ? body : "",
          story,
          books,
          files,
          keys,
          time,
        });
        countAccount(question, coverage);
        question.isGeneral = fault !== undefined && fault.accounts === undefined;
        onQuestion(question);
        const end = (how: Question["end"]) => {
          cancel();
          open.delete(fail);
          question.end ??= how;
          question.endedAt ??= time.elapsedMs();
        };
        const controller = { abort: (reason: Error) => fail(reason) };
        const fail = (error: Error) => {
          if (question.endedAt !== undefined) return;
          end("lost");
          handler.onResponseError?.(Object.assign(controller, CONTROLLER), error);
        };
        const answer = () => {
          if (reply.kind !== "answer") return fail(Object.assign(new Error("reset"), { code: "ECONNRESET" }));
          end(reply.isGood ? "good" : "bad");
          question.code = reply.status;
          question.retryAfterMs = reply.retryAfterMs;
          const control = Object.assign(controller, CONTROLLER);
          handler.onResponseStart?.(control, reply.status, reply.headers, "");
          handler.onResponseData?.(control, Buffer.from(reply.text));
          handler.onResponseEnd?.(control, {});
        };
        open.add(fail);
        const cancel = reply.kind === "silence" ? () => {} : time.after(latencyOf(question, fault), answer);
        handler.onRequestStart?.(Object.assign(controller, CONTROLLER), {});
        return true;
      },
      destroy: async () => {
        for (const fail of open) fail(new Error("destroyed"));
      },
    };
    return Object.assign(new Dispatcher(), connections);
  };
}

/** What the gateway tells about the account, for the table of coverage. */
function countAccount({ page, credits, usage, account, endpoint }: Question, coverage: Coverage): void {
  if (page) coverage.count("page of a list of keys");
  if (credits) coverage.count("balance");
  if (usage?.isOfKeys) coverage.count("query by key and model");
  if (usage?.excluded) coverage.count(`query without some keys${usage.isWarned ? ", with a warning" : ""}`);
  if (endpoint === "account" && !isManagement(account)) coverage.count("question with an ordinary key");
}

/** The other members of undici's controller, which the exporter does not use. */
const CONTROLLER = {
  aborted: false,
  paused: false,
  reason: null,
  rawHeaders: null,
  rawTrailers: null,
  pause() {},
  resume() {},
};

function refuseUnknown(handler: Dispatcher.DispatchHandler, time: WorldClock): boolean {
  const controller = { ...CONTROLLER, abort: () => cancel() };
  handler.onRequestStart?.(controller, {});
  const cancel = time.after(1, () => {
    handler.onResponseStart?.(controller, 404, {}, "");
    handler.onResponseData?.(controller, Buffer.from('{"error":{"code":404,"message":"Not found"}}'));
    handler.onResponseEnd?.(controller, {});
  });
  return true;
}

const ENDPOINTS: Readonly<Record<string, EndpointName>> = {
  "/api/v1/key": "key",
  "/api/v1/analytics/query": "analytics",
  "/api/v1/audio/transcriptions": "transcription",
  "/api/v1/analytics/meta": "account",
  "/api/v1/keys": "account",
  "/api/v1/workspaces": "account",
  "/api/v1/credits": "account",
};

const UNANSWERED = {
  usage: undefined,
  page: undefined,
  credits: undefined,
  costMicros: undefined,
  endedAt: undefined,
  end: undefined,
  code: undefined,
  retryAfterMs: undefined,
  isGeneral: false,
} as const;

const OTHER_GATEWAY = { a: "b", b: "a" } as const;

function gatewayOf(origin: string): GatewayName {
  return GATEWAY_URLS.a.startsWith(origin) ? "a" : "b";
}
