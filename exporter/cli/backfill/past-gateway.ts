import type { PastGateway } from "../../backfill/ask-past.ts";
import type { PlanGateway } from "../../backfill/make-plan.ts";
import type { AnalyticsConfig, Config } from "../../config/config.ts";
import type { Endpoint, Gateway } from "../../gateway/port.ts";
import type { Clock } from "../../time/clock.ts";
import { pacedClients } from "../paced-clients.ts";

/** Asks the gateway the questions of a backfill. */
export function createPastGateway(
  gateway: Pick<Gateway, "clientFor">,
  config: Config,
  { managementKey }: AnalyticsConfig,
  clock: Clock,
): PastGateway & PlanGateway {
  const clientOf = (endpoint: Endpoint) => pacedClients(gateway, config.gateway, clock, endpoint);
  const [analytics, account, key] = [clientOf("analytics"), clientOf("account"), clientOf("key")];
  return {
    usageSeries: (question, name) => analytics(name).usageSeries(question, managementKey),
    usage: (question, name) => analytics(name).usage(question, managementKey),
    accountKeys: (workspace) => account(workspace ?? "default").accountKeys(workspace, managementKey),
    currentKey: ({ name, secret }) => key(name).currentKey(secret),
  };
}
