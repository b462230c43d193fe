import type { GatewayConfig } from "../config/config.ts";
import { createSend, type Send } from "./calls.ts";
import { type Connect, createHttp } from "./http.ts";
import type { Caller, Endpoint, Gateway, GatewayClient, GatewayDependencies } from "./port.ts";
import { askUsage } from "./usage.ts";
import { KEY_REQUEST, parseKey } from "./wire/key.ts";
import { parseTranscription, transcriptionRequest } from "./wire/transcription.ts";

/** The gateway behind its HTTP API: the adapter of the port. */
export function createGateway(
  config: GatewayConfig,
  dependencies: GatewayDependencies,
  connect?: Connect,
): Gateway {
  const http = createHttp(config, { ...dependencies, connect });
  const { clock, random } = dependencies;
  return {
    clientFor: (caller: Caller) =>
      createGatewayClient(caller.name, createSend(caller, config, { http, clock, random })),
    close: () => http.close(),
  };
}

/** Requests per minute of each endpoint; 0 is unlimited. Transcriptions have their own schedules and spend limit. */
export function requestLimits({
  requestsPerMinute,
}: Pick<GatewayConfig, "requestsPerMinute">): Readonly<Record<Endpoint, number>> {
  return { key: requestsPerMinute, analytics: ANALYTICS_PER_MINUTE, transcription: 0 };
}

/** The rate that the analytics endpoint accepts without refusals (observed-behaviour 8). */
const ANALYTICS_PER_MINUTE = 60;

/** The operations of one run, for the named caller. `send` sends its calls. */
export function createGatewayClient(name: string, send: Send): GatewayClient {
  return {
    currentKey: async (secret) => {
      const action = `read key "${name}"`;
      return parseKey(await send({ ...KEY_REQUEST, action, secret }), action);
    },
    usage: (question, secret) => askUsage(send, name, question, secret),
    transcribe: async (request, secret, timeoutMs) => {
      const action = `transcribe with probe "${name}"`;
      const call = { ...transcriptionRequest(request), action, secret, onceWithinMs: timeoutMs };
      return parseTranscription(await send(call), action);
    },
  };
}
