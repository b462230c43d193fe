import { ConfigMap } from "@pulumi/kubernetes/core/v1/configMap.js";
import { ComponentResource, type ComponentResourceOptions } from "@pulumi/pulumi";
import type { DashboardFile } from "../../dashboards/index.ts";
import type { KubernetesSettings } from "../settings.ts";
import { metadataOf, type Identity } from "./identity.ts";

export interface DashboardConfigMapsArgs {
  readonly identity: Identity;
  readonly settings: Pick<KubernetesSettings, "dashboardLabels" | "dashboardAnnotations">;
  readonly dashboards: readonly DashboardFile[];
}

/** One ConfigMap for each dashboard, labelled for Grafana's sidecar. */
export class DashboardConfigMaps extends ComponentResource {
  readonly configMaps: readonly ConfigMap[];

  constructor(name: string, args: DashboardConfigMapsArgs, options?: ComponentResourceOptions) {
    super("aigateway-exporter:kubernetes:Dashboards", name, {}, options);
    const { dashboardLabels: labels, dashboardAnnotations: annotations } = args.settings;
    this.configMaps = args.dashboards.map(({ uid, json }) => {
      const metadata = metadataOf(args.identity, { suffix: `dashboard-${uid}`, labels, annotations });
      return new ConfigMap(`${name}-${uid}`, { metadata, data: { [`${uid}.json`]: json } }, { parent: this });
    });
    this.registerOutputs();
  }
}
