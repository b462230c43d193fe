import { z } from "zod";
import { ruleGroups } from "../../dashboards/rules/file.ts";
import type { RuleGroup } from "../../dashboards/rules/rule.ts";
import type { KubernetesSettings } from "../settings.ts";
import { JOB_LABEL, metadataOf, selectorOf, type Identity } from "./identity.ts";
import { PORT_NAME } from "./pod.ts";

/** How Prometheus discovers the exporter, and its rules. */
export interface MonitoringArgs {
  readonly identity: Identity;
  readonly settings: Pick<
    KubernetesSettings,
    "scrape" | "scrapeInterval" | "monitorEndpoint" | "monitorLabels" | "ruleLabels"
  >;
  readonly rules: readonly RuleGroup[];
}

const OPERATOR_API = "monitoring.coreos.com/v1";

/** The ServiceMonitor or PodMonitor, if Prometheus discovers the exporter by one. */
export function monitorOf({ identity, settings }: MonitoringArgs) {
  const { scrape, scrapeInterval, monitorEndpoint, monitorLabels } = settings;
  if (scrape !== "serviceMonitor" && scrape !== "podMonitor") return undefined;
  const { relabelings = [], ...more } = endpointSchema.parse(monitorEndpoint);
  const naming = identity.gateway === "" ? [] : [{ targetLabel: "gateway", replacement: identity.gateway }];
  const endpoint = { port: PORT_NAME, path: "/metrics", interval: scrapeInterval };
  const endpoints = [{ ...endpoint, ...more, relabelings: [...naming, ...relabelings] }];
  const base = {
    apiVersion: OPERATOR_API,
    metadata: metadataOf(identity, { labels: monitorLabels }),
  };
  // The operator takes the job name from this label; the rules refer to that name.
  const common = { jobLabel: JOB_LABEL, selector: { matchLabels: selectorOf(identity) } };
  return scrape === "serviceMonitor"
    ? { ...base, kind: "ServiceMonitor", spec: { ...common, endpoints } }
    : { ...base, kind: "PodMonitor", spec: { ...common, podMetricsEndpoints: endpoints } };
}

const endpointSchema = z.looseObject({ relabelings: z.array(z.unknown()).optional() });

export function prometheusRule({ identity, settings, rules }: MonitoringArgs) {
  return {
    apiVersion: OPERATOR_API,
    kind: "PrometheusRule",
    metadata: metadataOf(identity, { labels: { ...settings.monitorLabels, ...settings.ruleLabels } }),
    spec: { groups: ruleGroups(rules) },
  };
}
