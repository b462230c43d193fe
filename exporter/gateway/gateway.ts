import type { GatewayConfig } from "../config/config.ts";
import { fetchCredits } from "./account-credits.ts";
import { fetchAccountKeys, fetchAllAccountKeys, type ListingMemory } from "./account-keys.ts";
import { createSend, type Send } from "./calls.ts";
import { type Connect, createHttp } from "./http.ts";
import { createCreditMetricChoice, type CreditMetricChoice, fetchUsage, fetchUsageSeries } from "./usage.ts";
import type { Caller, GatewayAdapter, GatewayClient, GatewayDependencies } from "./port.ts";
import { KEY_REQUEST, parseKey } from "./wire/key.ts";
import { parseTranscription, transcriptionRequest } from "./wire/transcription.ts";
import type { SecretSource } from "../secrets/secret.ts";
import type { Capabilities } from "./account.ts";
import { unlessMissing } from "./errors.ts";
import { CAPABILITIES_REQUEST, parseCapabilities } from "./wire/usage.ts";

/** The gateway behind its HTTP API: the adapter of the port. */
export function createGateway(
  config: GatewayConfig,
  dependencies: GatewayDependencies,
  connect?: Connect,
  memory = createMemory(),
): GatewayAdapter {
  const http = createHttp(config, { ...dependencies, connect });
  const { clock, random } = dependencies;
  return {
    clientFor: (caller: Caller) =>
      createGatewayClient(caller.name, () => createSend(caller, config, { http, clock, random }), memory),
    reconfigured: (next) => {
      const isSameService = next.baseUrl === config.baseUrl;
      return createGateway(next, dependencies, connect, isSameService ? memory : createMemory());
    },
    close: () => http.close(),
  };
}

/** What is known of the service, for later runs. */
export interface GatewayMemory {
  readonly creditMetric: CreditMetricChoice;
  readonly listing: ListingMemory;
}

export function createMemory(): GatewayMemory {
  return {
    creditMetric: createCreditMetricChoice(),
    listing: { omitsExpired: false },
  };
}

/**
 * The operations of one run, for the named caller. `newSend` makes the function that sends calls within one
 * deadline.
 */
export function createGatewayClient(
  name: string,
  newSend: () => Send,
  { creditMetric, listing }: GatewayMemory,
): GatewayClient {
  const send = newSend();
  return {
    currentKey: async (secret) => {
      const action = `read key "${name}"`;
      return parseKey(await send({ ...KEY_REQUEST, action, secret }), action);
    },
    usage: (question, secret) => fetchUsage(send, name, question, secret, creditMetric),
    usageSeries: (question, secret) => fetchUsageSeries(send, name, question, secret, creditMetric),
    capabilities: async (secret) => {
      const capabilities = await fetchCapabilities(send, secret);
      creditMetric.setCapabilities(capabilities);
      return capabilities;
    },
    accountKeys: (workspace, secret) =>
      workspace === "all"
        ? fetchAllAccountKeys(newSend, name, secret, listing)
        : fetchAccountKeys(newSend, name, workspace, secret, listing),
    credits: (secret) => fetchCredits(send, secret),
    transcribe: async (request, secret, timeoutMs) => {
      const action = `transcribe with probe "${name}"`;
      const call = { ...transcriptionRequest(request), action, secret, onceWithinMs: timeoutMs };
      return parseTranscription(await send(call), action);
    },
  };
}

/** Asks which metrics and dimensions queries may name; undefined: the service has no such operation. */
export async function fetchCapabilities(send: Send, secret: SecretSource): Promise<Capabilities | undefined> {
  const action = "read the capabilities of the analytics";
  const body = await unlessMissing(send({ ...CAPABILITIES_REQUEST, action, secret }));
  return body === undefined ? undefined : parseCapabilities(body, action);
}
