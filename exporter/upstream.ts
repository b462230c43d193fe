import { requestsPerMinute } from "./cli/capacity.ts";
import type { GatewayConfig } from "./config/config.ts";
import { createGateway, type PaidGateway } from "./gateway/gateway.ts";
import type { Endpoint } from "./gateway/http.ts";
import { selfFamilies } from "./metrics/self-families.ts";
import { createPace, type Pace } from "./schedule/pace.ts";
import { createPoller, type Poller, type PollerDependencies } from "./schedule/poller.ts";

/** What asks one gateway in one way: the client, the pace of its calls, and who polls with both. */
export interface Upstream {
  readonly gateway: PaidGateway;
  readonly pace: Pace;
  readonly poller: Poller;
  /** Of each endpoint; 0 is unpaced. */
  readonly perMinute: Readonly<Record<Endpoint, number>>;
  stop(): Promise<void>;
}

export interface UpstreamDependencies extends Omit<PollerDependencies, "gateway" | "pace"> {
  /** Of the exporter. */
  readonly version: string;
  /** In [0, 1). */
  readonly random: () => number;
  /** How often an endpoint is asked, milliseconds. */
  readonly intervalMs: (endpoint: Endpoint) => number;
}

export function createUpstream(config: GatewayConfig, dependencies: UpstreamDependencies): Upstream {
  const { clock, version, random, self, intervalMs } = dependencies;
  const requests = self.counter(selfFamilies.upstreamRequests);
  const perMinute = requestsPerMinute(config);
  const { connections, maxPauseMs } = config;
  const pace = createPace(clock, { perMinute, intervalMs, connections, maxPauseMs });
  const gateway = createGateway(config, {
    clock,
    version,
    random,
    admit: pace.admit,
    onAnswer: (endpoint, code) => requests.inc({ endpoint, code }),
  });
  const poller = createPoller({ ...dependencies, gateway, pace });
  return {
    gateway,
    pace,
    poller,
    perMinute,
    stop: async () => {
      poller.stop();
      await gateway.close();
    },
  };
}
