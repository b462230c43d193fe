import { CustomResource } from "@pulumi/kubernetes/apiextensions/customResource.js";
import { ConfigMap } from "@pulumi/kubernetes/core/v1/configMap.js";
import { ComponentResource, type ComponentResourceOptions, type CustomResourceOptions } from "@pulumi/pulumi";
import { z } from "zod";
import { renderRuleFile, ruleGroups } from "../../dashboards/rules/file.ts";
import type { RuleGroup } from "../../dashboards/rules/rule.ts";
import type { KubernetesSettings } from "../settings.ts";
import { JOB_LABEL, metadataOf, selectorOf, type Identity } from "./identity.ts";
import { PORT_NAME } from "./pod.ts";

export interface MonitoringArgs {
  readonly identity: Identity;
  readonly settings: Pick<
    KubernetesSettings,
    "scrape" | "scrapeInterval" | "monitorEndpoint" | "monitorLabels" | "rules"
  >;
  readonly rules: readonly RuleGroup[];
}

/** How Prometheus discovers the exporter and loads its rules. */
export class Monitoring extends ComponentResource {
  readonly monitor: CustomResource | undefined;
  readonly rules: CustomResource | ConfigMap | undefined;

  constructor(name: string, args: MonitoringArgs, options?: ComponentResourceOptions) {
    super("aigateway-exporter:kubernetes:Monitoring", name, {}, options);
    const monitor = monitorOf(args);
    this.monitor = monitor && new CustomResource(name, monitor, { parent: this });
    this.rules = createRules(`${name}-rules`, args, { parent: this });
    this.registerOutputs();
  }
}

function createRules(name: string, args: MonitoringArgs, child: CustomResourceOptions) {
  const { identity, settings, rules } = args;
  switch (settings.rules) {
    case "prometheusRule":
      return new CustomResource(name, prometheusRule(args), child);
    case "configMap": {
      const data = { "aigateway-exporter.rules.yaml": renderRuleFile(rules) };
      return new ConfigMap(name, { metadata: metadataOf(identity, { suffix: "rules" }), data }, child);
    }
    case "none":
      return undefined;
  }
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
    metadata: metadataOf(identity, { labels: settings.monitorLabels }),
    spec: { groups: ruleGroups(rules) },
  };
}
