import { createServer, type Socket } from "node:net";
import { listenOnLoopback } from "../support/loopback.ts";
import {
  HOSTILE,
  type JsonObject,
  keyBody,
  MANAGEMENT_SECRET,
  NAMES_BY_SECRET,
  queryBody,
  revisionAt,
  SECRETS,
  TRANSCRIPTION_BODY,
} from "./books.ts";
import { answerJson, type Exchange, type GatewayKind, type Operation, sinkOf } from "./gateway/exchange.ts";
import { gatewayKinds } from "./gateway/kinds.ts";
import { report, seedOfProgram, takeOrders } from "./messages.ts";
import { createRandom } from "./random.ts";
import { createStrikes } from "./strikes.ts";

// The hostile gateway, in its own process: raw sockets. It attacks the keys `hostile-…` and the analytics, and answers
// all other keys from the books.
const random = createRandom(seedOfProgram());
const struck = createStrikes();
const attacks = new Map<string, GatewayKind>();
const inFlight = new Map<GatewayKind, number>();
// The exporter cannot conceal what it has not read: other secrets of the hostile disk, and the password behind a hash.
const secrets = [...SECRETS]
  .filter(([name]) => !name.startsWith("disk-") && name !== "password")
  .map(([, secret]) => secret);

const elsewhere = await listenOnLoopback(
  createServer((socket) => {
    report({ type: "breach", text: "the exporter contacted a server that is not its gateway" });
    socket.destroy();
  }),
);
const gateway = await listenOnLoopback(createServer(accept));
takeOrders((order) => {
  if (order.type !== "attack") return;
  const kind = gatewayKinds.find(
    ({ name, lanes }) => name === order.kind && lanes.some((lane) => lane === order.lane),
  );
  if (kind) attacks.set(order.lane, kind);
  else attacks.delete(order.lane);
});
report({ type: "listening", address: gateway.address });

function accept(socket: Socket): void {
  let received = Buffer.alloc(0);
  socket.on("error", () => {});
  const early = attacks.get("keys");
  if (early?.onConnect === true && random() < 0.5) {
    struck("keys", early.name, "connection");
    void early.answer({ ...exchangeOf(socket, "", ""), socket: sinkOf(socket) });
    return;
  }
  socket.on("data", (bytes: Buffer) => {
    received = Buffer.concat([received, bytes]);
    for (let end = endOf(received); end > 0; end = endOf(received)) {
      const request = received.toString("latin1", 0, end);
      received = received.subarray(end);
      void answer(socket, request).catch(() => socket.destroy());
    }
  });
}

/** Where the first request ends; -1 while it is incomplete. */
function endOf(received: Buffer): number {
  const headEnd = received.indexOf("\r\n\r\n");
  if (headEnd < 0) return -1;
  const length = /^content-length: (\d+)$/im.exec(received.toString("latin1", 0, headEnd))?.[1] ?? "0";
  const end = headEnd + 4 + Number(length);
  return end <= received.length ? end : -1;
}

async function answer(socket: Socket, request: string): Promise<void> {
  const secret = /^authorization: Bearer (.*)$/im.exec(request)?.[1]?.trim() ?? "";
  const exchange = exchangeOf(socket, request, secret);
  const name = callerOf(exchange, request);
  if (name === undefined)
    return answerJson(exchange.socket, '{"error":{"code":401,"message":"Invalid key"}}', 401);
  const kind = name === MANAGEMENT || HOSTILE.includes(name) ? attacks.get(exchange.lane) : undefined;
  const busy = kind === undefined ? 0 : (inFlight.get(kind) ?? 0);
  if (!kind || kind.onConnect === true || busy >= kind.atOnce)
    return answerJson(
      exchange.socket,
      JSON.stringify(exchange.right),
      exchange.operation === "capabilities" ? 503 : 200,
    );
  struck(exchange.lane, kind.name, "answers");
  inFlight.set(kind, busy + 1);
  try {
    await kind.answer(exchange);
  } finally {
    inFlight.set(kind, (inFlight.get(kind) ?? 1) - 1);
  }
}

/** Whose attack a request gets; undefined if it has no credential, or one of another operation. */
function callerOf({ lane, operation, secret }: Exchange, request: string): string | undefined {
  const name = secret === MANAGEMENT_SECRET ? MANAGEMENT : NAMES_BY_SECRET.get(secret);
  if (operation === "transcription")
    return name === undefined || name === MANAGEMENT ? undefined : MANAGEMENT;
  if (name === undefined || (name === MANAGEMENT) === (lane === "analytics")) return name;
  report({ type: "breach", text: `a credential was sent with "${request.slice(0, 40)}"` });
  return undefined;
}

const MANAGEMENT = "management";

function exchangeOf(socket: Socket, request: string, secret: string): Exchange {
  const operation = operationOf(request);
  return {
    socket: sinkOf(socket),
    lane: operation === "key" ? "keys" : "analytics",
    operation,
    offset: Number(/^GET \S+[?&]offset=(\d+)/.exec(request)?.[1] ?? 0),
    secret,
    secrets,
    right: RIGHT[operation](request, secret),
    random,
    elsewhere: elsewhere.address,
  };
}

/** `key` if there is no request yet. */
function operationOf(request: string): Operation {
  const [, operation] = OPERATIONS.find(([start]) => request.startsWith(start)) ?? [];
  return operation ?? (request === "" ? "key" : "query");
}

const OPERATIONS: readonly (readonly [string, Operation])[] = [
  ["GET /api/v1/key ", "key"],
  ["GET /api/v1/keys?", "listing"],
  ["GET /api/v1/credits ", "credits"],
  ["GET /api/v1/analytics/meta ", "capabilities"],
  ["POST /api/v1/audio/", "transcription"],
];

const RIGHT: Readonly<Record<Operation, (request: string, secret: string) => JsonObject>> = {
  key: (_, secret) => keyBody(NAMES_BY_SECRET.get(secret) ?? "", revisionAt(Date.now())),
  query: (request) => queryBody(request.includes('"dimensions"')),
  listing: () => ({ data: [] }),
  credits: () => ({ data: { total_credits: 1000, total_usage: 5 } }),
  // Refused, so that they are requested in every round and the attacks get them.
  capabilities: () => ({ error: { code: 503, message: "Not now" } }),
  transcription: () => TRANSCRIPTION_BODY,
};
