import type { Cluster } from "./cluster.ts";
import { ADDRESS_ANNOTATION } from "./kubelet.ts";

/** A Prometheus configuration as in docs/deploy.md, except for the address, because pod addresses are unreachable here. */
export function podDiscovery({ access, authorityFile }: Cluster, interval = "500ms"): object {
  const client = {
    authorization: { credentials: access.token },
    tls_config: { ca_file: authorityFile },
  };
  const address = `__meta_kubernetes_pod_annotation_${ADDRESS_ANNOTATION.replaceAll(/[./]/g, "_")}`;
  return {
    global: { scrape_interval: interval, scrape_timeout: interval },
    scrape_configs: [
      {
        job_name: "aigateway-exporter",
        kubernetes_sd_configs: [{ role: "pod", api_server: access.url, ...client }],
        relabel_configs: [
          {
            source_labels: ["__meta_kubernetes_pod_label_app_kubernetes_io_name"],
            regex: "aigateway-exporter",
            action: "keep",
          },
          { source_labels: [address], regex: ".+", action: "keep" },
          { source_labels: [address], target_label: "__address__" },
        ],
      },
    ],
  };
}
