import type { networking } from "@pulumi/kubernetes/types/input.js";
import type { KubernetesSettings } from "../settings.ts";
import { selectorOf, type Identity } from "./identity.ts";
import { proxyUrl } from "../../exporter/config/proxy.ts";
import { DEFAULT_PORT } from "../../exporter/config/schema.ts";

/**
 * Allows incoming scrapes, and outgoing traffic to DNS and the gateway's port. The gateway's address is
 * unknown at this point, so any address is allowed on that port. Kubelet probes come from the node, to which
 * network policies do not apply.
 */
export function networkPolicySpec(
  identity: Identity,
  urls: readonly string[],
  {
    scrapeFrom,
    scrapeFromAddresses,
    networkPolicyIngress,
    networkPolicyEgress,
  }: Pick<
    KubernetesSettings,
    "scrapeFrom" | "scrapeFromAddresses" | "networkPolicyIngress" | "networkPolicyEgress"
  >,
): networking.v1.NetworkPolicySpec {
  return {
    podSelector: { matchLabels: selectorOf(identity) },
    policyTypes: ["Ingress", "Egress"],
    ingress: [
      {
        from: [
          { namespaceSelector: { matchLabels: { ...scrapeFrom } } },
          ...scrapeFromAddresses.map((cidr) => ({ ipBlock: { cidr } })),
        ],
        ports: [{ port: DEFAULT_PORT, protocol: "TCP" }],
      },
      ...networkPolicyIngress,
    ],
    egress: [
      {
        ports: [
          { port: 53, protocol: "UDP" },
          { port: 53, protocol: "TCP" },
        ],
      },
      { ports: [...new Set(urls.map(portOf))].map((port) => ({ port, protocol: "TCP" })) },
      ...networkPolicyEgress,
    ],
  };
}

/** The addresses that the exporter connects to: the gateway, and the proxy if the settings name one. */
export function outgoing({
  config,
  environment,
}: Pick<KubernetesSettings, "config" | "environment">): readonly string[] {
  const proxies = Object.entries(environment).flatMap(([variable, url]) =>
    /^https?_proxy$/i.test(variable) ? (proxyUrl(url.trim())?.href ?? []) : [],
  );
  return [config.file.gateway.base_url, ...proxies];
}

function portOf(url: string): number {
  const { port, protocol } = new URL(url);
  if (port !== "") return Number(port);
  return protocol === "https:" ? 443 : 80;
}
