import { Provider } from "@pulumiverse/grafana/provider.js";
import type { RuleGroup } from "../../dashboards/rules/rule.ts";
import type { DashboardFile } from "../../dashboards/index.ts";
import type { GrafanaSettings } from "../settings.ts";
import { checkBeforeCreate } from "./checks.ts";
import { GrafanaContent } from "./content.ts";
import { createGrafanaClient } from "./grafana-client.ts";

/** Deploys the Grafana part of the program. */
export function deployToGrafana(
  settings: GrafanaSettings,
  rules: readonly RuleGroup[],
  dashboards: readonly DashboardFile[],
): GrafanaContent {
  const { grafanaUrl: url, grafanaOrganization, auth } = settings;
  const orgId = grafanaOrganization === "" ? undefined : Number(grafanaOrganization);
  const provider = new Provider("grafana", { url, auth, ...(orgId === undefined ? {} : { orgId }) });
  const check = checkBeforeCreate(
    createGrafanaClient({ url, auth, organization: grafanaOrganization }),
    settings,
  );
  const options = { providers: { grafana: provider }, transformations: [check] };
  return new GrafanaContent("grafana", { settings, rules, dashboards }, options);
}
