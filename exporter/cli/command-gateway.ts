import type { PastGateway } from "../backfill/request-past.ts";
import type { PlanGateway } from "../backfill/plan.ts";
import { type AnalyticsConfig, type Config, requestLimits } from "../config/config.ts";
import { createGateway } from "../gateway/gateway.ts";
import type { Endpoint, Gateway, GatewayClient, GatewayDependencies } from "../gateway/port.ts";
import type { Clock } from "../time/clock.ts";
import type { Terminal } from "./terminal.ts";

/** The gateway for a command, which counts no answers unless it wants to. */
export function createCommandGateway(
  { gateway }: Pick<Config, "gateway">,
  { clock, random, build }: Pick<Terminal, "clock" | "random" | "build">,
  onAnswer: GatewayDependencies["onAnswer"] = () => {},
): Gateway {
  return createGateway(gateway, { clock, random, version: build.version, onAnswer });
}

/** A client for one request, which gets its permit at once. */
export function singleClient(
  gateway: Pick<Gateway, "clientFor">,
  endpoint: Endpoint,
  name: string,
): GatewayClient {
  const permits = { next: () => Promise.resolve({ release: () => {} }) };
  return gateway.clientFor({ endpoint, name, permits, signal: NEVER });
}

/**
 * Asks the questions of reports and backfills one after another, at the pace of the daemon. Messages name what a
 * question is about: a key, a workspace, a query.
 */
export function createAccountGateway(
  gateway: Pick<Gateway, "clientFor">,
  config: Config,
  { managementKey }: AnalyticsConfig,
  clock: Clock,
): PastGateway & PlanGateway {
  const clientOf = (endpoint: Endpoint) => {
    const perMinute = requestLimits(config.gateway)[endpoint];
    let openAt = Number.NEGATIVE_INFINITY;
    const next = async (signal: AbortSignal) => {
      const waitMs = openAt - clock.monotonic();
      if (waitMs > 0) await clock.sleep(waitMs, signal);
      openAt = clock.monotonic() + (perMinute === 0 ? 0 : 60_000 / perMinute);
      return { release: () => {} };
    };
    return (name: string) => gateway.clientFor({ endpoint, name, permits: { next }, signal: NEVER });
  };
  const [analytics, account, key] = [clientOf("analytics"), clientOf("account"), clientOf("key")];
  return {
    usageSeries: (question, name) => analytics(name).usageSeries(question, managementKey),
    usage: (question, name) => analytics(name).usage(question, managementKey),
    accountKeys: (workspace) => account(workspace ?? "default").accountKeys(workspace, managementKey),
    currentKey: ({ name, secret }) => key(name).currentKey(secret),
  };
}

const NEVER = new AbortController().signal;
