import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";

import { listenOnLoopback } from "../support/loopback.ts";
import { keyBody, queryBody, type JsonObject } from "./right-answers.ts";

/** A request that a fault may affect, with its correct answer. */
export interface Exchange {
  readonly collector: "key" | "analytics";
  /** Whether an analytics request is for rows or for their total. */
  readonly grouped: boolean;
  readonly right: JsonObject;
  /** The time of the exporter's clock. */
  readonly nowMs: number;
  readonly response: ServerResponse;
  /** Called with the number of bytes that a fault sends. */
  readonly sent: (bytes: number) => void;
}

export type Fault = (exchange: Exchange) => void;

/**
 * A gateway with two keys. It answers every request correctly, except that the key `faulty` and the query `day` get
 * the current fault, if any. The data differ between revisions, so that old and new answers can be distinguished.
 */
export interface FaultyGateway {
  readonly url: string;
  revision: number;
  fault: Fault | undefined;
  /** Called for each request that gets the fault. */
  onFault: () => void;
  /** The most bytes that a fault sent in one response. */
  readonly mostSentBytes: () => number;
  /** Uses another certificate from now on. */
  certify(certificate: Certificate): void;
  /** Closes open connections, so that they are not reused. */
  disconnect(): void;
  stop(): Promise<void>;
}

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

export const TOKENS = new Map([
  ["faulty", "sk-faulty-0123456789"],
  ["healthy", "sk-healthy-0123456789"],
]);
export const MANAGEMENT_TOKEN = "sk-management-0123456789";

export async function startFaultyGateway(
  now: () => number,
  certificate?: Certificate,
): Promise<FaultyGateway> {
  const dayStart = `${new Date(now()).toISOString().slice(0, 10)}T00:00:00.000Z`;
  let mostSentBytes = 0;
  const state: Pick<FaultyGateway, "revision" | "fault" | "onFault"> = {
    revision: 1,
    fault: undefined,
    onFault: () => {},
  };
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    void bodyOf(request).then((body) => {
      // An older service, which has no operation about the account.
      if (!PATHS.has(request.url ?? "")) return void response.writeHead(404).end("{}");
      const question = questionOf(request, body, dayStart);
      const isGrouped = body.includes('"dimensions"');
      const right =
        question.collector === "key" ? keyBody(state.revision) : queryBody(state.revision, isGrouped);
      if (!question.isHit || !state.fault) return void response.end(JSON.stringify(right));
      let sentBytes = 0;
      const sent = (bytes: number): void => {
        sentBytes += bytes;
        mostSentBytes = Math.max(mostSentBytes, sentBytes);
      };
      const { collector } = question;
      state.onFault();
      state.fault({ collector, grouped: isGrouped, right, nowMs: now(), response, sent });
    });
  };
  const tlsServer = certificate && createTlsServer(certificate, listener);
  const server = tlsServer ?? createServer(listener);
  const { port, stop } = await listenOnLoopback(server);
  return Object.assign(state, {
    url: `${certificate ? "https" : "http"}://localhost:${port}/api/v1`,
    mostSentBytes: () => mostSentBytes,
    certify: (next: Certificate) => tlsServer?.setSecureContext(next),
    disconnect: () => server.closeAllConnections(),
    stop,
  });
}

const PATHS: ReadonlySet<string> = new Set(["/api/v1/key", "/api/v1/analytics/query"]);

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: string[] = [];
  for await (const chunk of request.setEncoding("utf8")) chunks.push(String(chunk));
  return chunks.join("");
}

function questionOf(
  { url, headers }: IncomingMessage,
  body: string,
  dayStart: string,
): { readonly collector: Exchange["collector"]; readonly isHit: boolean } {
  if (url === "/api/v1/key") {
    return { collector: "key", isHit: headers.authorization === `Bearer ${TOKENS.get("faulty")}` };
  }
  return { collector: "analytics", isHit: body.includes(`"start":"${dayStart}"`) };
}
