import type { GatewayConfig } from "../config/config.ts";
import type { Clock } from "../time/clock.ts";
import { askProvedCredits } from "./account-credits.ts";
import { askAccountKeys } from "./account-keys.ts";
import { createSend, type Send } from "./calls.ts";
import { askCapabilities } from "./capabilities.ts";
import { type Connect, createHttp } from "./http.ts";
import { createManagementProofs, type ManagementProofs } from "./management-proofs.ts";
import { createMoneyMetricsChoice, type MoneyMetricsChoice } from "./money-metrics.ts";
import type { Caller, Endpoint, Gateway, GatewayClient, GatewayDependencies } from "./port.ts";
import { askUsage, askUsageSeries } from "./usage.ts";
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
  const memory = createMemory(clock);
  return {
    clientFor: (caller: Caller) =>
      createGatewayClient(caller.name, () => createSend(caller, config, { http, clock, random }), memory),
    close: () => http.close(),
  };
}

/** Requests per minute of each endpoint; 0 is unlimited. Transcriptions have their own schedules and spend limit. */
export function requestLimits({
  requestsPerMinute,
}: Pick<GatewayConfig, "requestsPerMinute">): Readonly<Record<Endpoint, number>> {
  return { key: requestsPerMinute, analytics: PER_MINUTE, account: PER_MINUTE, transcription: 0 };
}

/** The rate that the analytics endpoint accepts without refusals (observed-behaviour 8). */
const PER_MINUTE = 60;

/** What the adapter has learnt about the service, for later runs. */
export interface GatewayMemory {
  readonly money: MoneyMetricsChoice;
  readonly proofs: ManagementProofs;
}

export function createMemory(clock: Pick<Clock, "monotonic">): GatewayMemory {
  return { money: createMoneyMetricsChoice(), proofs: createManagementProofs(clock) };
}

/**
 * The operations of one run, for the named caller. `newSend` makes the function that sends calls within one
 * deadline.
 */
export function createGatewayClient(
  name: string,
  newSend: () => Send,
  { money, proofs }: GatewayMemory,
): GatewayClient {
  const send = newSend();
  return {
    currentKey: async (secret) => {
      const action = `read key "${name}"`;
      return parseKey(await send({ ...KEY_REQUEST, action, secret }), action);
    },
    usage: (question, secret) => askUsage(send, name, question, secret, money),
    usageSeries: (question, secret) => askUsageSeries(send, name, question, secret, money),
    capabilities: async (secret) => {
      const capabilities = await askCapabilities(send, secret);
      money.learn(capabilities);
      return capabilities;
    },
    accountKeys: (workspace, secret) => askAccountKeys(newSend, name, workspace, secret),
    credits: (secret) => askProvedCredits(send, secret, proofs),
    transcribe: async (request, secret, timeoutMs) => {
      const action = `transcribe with probe "${name}"`;
      const call = { ...transcriptionRequest(request), action, secret, onceWithinMs: timeoutMs };
      return parseTranscription(await send(call), action);
    },
  };
}
