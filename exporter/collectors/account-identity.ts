import type { AnalyticsConfig, GatewayConfig } from "../config/config.ts";
import { identityOf } from "../secrets/secret.ts";

/** Identifies the account that a job asks about: the gateway and the management key. Not for messages. */
export function accountIdentity(
  { managementKey }: Pick<AnalyticsConfig, "managementKey">,
  { baseUrl }: Pick<GatewayConfig, "baseUrl">,
): string {
  return JSON.stringify([baseUrl, identityOf(managementKey)]);
}
