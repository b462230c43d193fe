import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
  createServer as createHttpServer,
} from "node:http";
import { type Answer, refusalAnswer } from "./answer.ts";
import { type Call, type Context, keyOf, requireUsable } from "./context.ts";
import { faultyAnswer } from "./fault-answer.ts";
import type { Fault, Faults } from "./faults.ts";
import { type Operation, operationOf } from "./operations.ts";
import { Refusal } from "./refusal.ts";
import type { RequestLog } from "./request-log.ts";
import type { Key } from "./entities.ts";
import { setTimeout as sleep } from "node:timers/promises";

export const basePath = "/api/v1";

/** Hooks in which a test can change the world between two requests; `afterQuery` follows analytics and GET /keys. */
export type Hook = (call: {
  endpoint: Operation["endpoint"];
  key: string | null;
  body: string;
}) => void | Promise<void>;
export type Hooks = { beforeAnswer: Hook | null; afterQuery: Hook | null };

export type ServerParts = {
  readonly context: Context;
  readonly faults: Faults;
  readonly hooks: Hooks;
  readonly log: RequestLog;
  /** Advances the world to the time of the clock. */
  readonly advance: () => void;
  readonly control: (method: string, url: URL, body: string) => Answer;
};

/** request → operation → key → fault → answer → delivery → log. */
export function createGatewayServer(parts: ServerParts, signal: () => AbortSignal) {
  const server = createHttpServer((request, response) => {
    answerRequest(parts, request, response, signal()).catch((error: unknown) => {
      process.stderr.write(`simulated gateway: ${error instanceof Error ? error.stack : String(error)}\n`);
      response.destroy();
    });
  });
  server.keepAliveTimeout = 60_000;
  return server;
}

async function answerRequest(
  parts: ServerParts,
  request: IncomingMessage,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const { context } = parts;
  const at = context.clock.now();
  const url = new URL(request.url ?? "/", "http://gateway");
  const method = request.method ?? "";
  const bytes = await readBody(request);
  const body = bytes.toString();
  if (url.pathname.startsWith("/_sim/")) {
    await deliver(response, parts.control(method, url, body), null, at, signal);
    return;
  }
  const path = pathOf(url);
  const operation = operationOf(method, path, context.switches.missingOperations);
  const key = keyOf(context.world, request.headers.authorization);
  const endpoint = operation?.endpoint ?? "unknown";
  const line = {
    at,
    method,
    path: `${path}${url.search}`,
    endpoint,
    key: key?.name ?? null,
    userAgent: request.headers["user-agent"] ?? null,
    body: loggedBody(endpoint, body),
  } as const;
  if (operation === undefined) {
    const answer = refusalAnswer(new Refusal(404));
    parts.log.add({ ...line, status: answer.status, fault: null });
    await deliver(response, answer, null, at, signal);
    return;
  }
  const fault = parts.faults.take({
    endpoint: operation.endpoint,
    key: line.key,
    parameters: url.searchParams,
  });
  const call = { endpoint: operation.endpoint, key: line.key, body };
  await parts.hooks.beforeAnswer?.(call);
  parts.advance();
  const asked = { path, parameters: url.searchParams, bytes };
  const right = (): Answer => rightAnswer(context, operation, key, asked, request.headers);
  const answer = createAnswer(context, fault, right);
  if (isQuery(operation)) await parts.hooks.afterQuery?.(call);
  parts.log.add({ ...line, status: answer.status, fault: fault?.kind ?? null });
  await deliver(response, answer, fault, context.clock.now(), signal);
}

/** The path below the root; empty outside it. */
function pathOf({ pathname }: URL): string {
  return pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : "";
}

function isQuery({ endpoint }: Operation): boolean {
  return endpoint === "analytics" || endpoint === "keys";
}

function createAnswer(context: Context, fault: Fault | null, right: () => Answer): Answer {
  return fault === null ? right() : faultyAnswer(fault, right, context.clock.now());
}

function rightAnswer(
  context: Context,
  operation: Operation,
  key: Key | null,
  asked: Pick<Call, "path" | "parameters" | "bytes">,
  headers: IncomingHttpHeaders,
): Answer {
  const now = context.clock.now();
  try {
    return operation.answer(context, {
      key: requireUsable(key, now),
      ...asked,
      body: asked.bytes.toString(),
      contentType: headers["content-type"],
    });
  } catch (error) {
    if (error instanceof Refusal) return refusalAnswer(error);
    throw error;
  }
}

/** The log keeps only the beginning of a transcription's body, because audio would fill it. */
const LOGGED_CHARACTERS = 500;

function loggedBody(endpoint: string, body: string): string {
  return endpoint === "transcription" ? body.slice(0, LOGGED_CHARACTERS) : body;
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) if (chunk instanceof Buffer) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Sends an answer, subject to a fault of the connection. */
async function deliver(
  response: ServerResponse,
  answer: Answer,
  fault: Fault | null,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  await pause((answer.delayMs ?? 0) + (fault?.delayMs ?? 0), signal);
  if (fault?.kind === "reset" || signal.aborted) {
    response.socket?.resetAndDestroy();
    return;
  }
  const body = Buffer.from(answer.body);
  const headers = { Date: new Date(now).toUTCString(), ...answer.headers, "Content-Length": body.length };
  response.writeHead(answer.status, headers);
  if (fault?.kind === "cut") cut(response, body);
  else response.end(body);
}

function cut(response: ServerResponse, body: Buffer): void {
  response.flushHeaders();
  response.write(body.subarray(0, body.length / 2), () => response.socket?.destroy());
}

/** The longest delay that a timer supports, long enough to mean "never". */
const LONGEST_MS = 2 ** 31 - 1;

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0) return;
  await sleep(Math.min(ms, LONGEST_MS), undefined, { signal }).catch(() => undefined);
}
