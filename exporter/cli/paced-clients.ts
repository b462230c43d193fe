import type { Config } from "../config/config.ts";
import { requestLimits } from "../gateway/gateway.ts";
import type { Endpoint, Gateway, GatewayClient } from "../gateway/port.ts";
import { createRateLimiter } from "../schedule/rate-limiter.ts";
import type { Clock } from "../time/clock.ts";

/**
 * Makes clients of one endpoint for a command, which asks one question after the other at the pace of the daemon. Each
 * has the name that messages give to what it asks about: a key, a workspace, a query.
 */
export function pacedClients(
  gateway: Pick<Gateway, "clientFor">,
  config: Config["gateway"],
  clock: Clock,
  endpoint: Endpoint,
): (name: string) => GatewayClient {
  const limiter = createRateLimiter(clock, requestLimits(config)[endpoint]);
  const next = async (signal: AbortSignal) => {
    const wantedAt = clock.monotonic();
    const waitMs = limiter.readyAt(wantedAt) - wantedAt;
    if (waitMs > 0) await clock.sleep(waitMs, signal);
    limiter.use(wantedAt);
    return { release: () => {} };
  };
  return (name) => gateway.clientFor({ endpoint, name, permits: { next }, signal: NEVER });
}

const NEVER = new AbortController().signal;
