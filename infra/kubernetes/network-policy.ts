import type { networking } from "@pulumi/kubernetes/types/input.js";
import { selectorOf, type Identity } from "./identity.ts";
import { METRICS_PORT } from "./pod.ts";

/**
 * Lets scrapes in, and DNS and the gateway's port out. The gateway's address is not known here, so any address will do at
 * that port. Probes come from the node, which policies do not concern.
 */
export function networkPolicySpec(
  identity: Identity,
  gatewayUrl: string,
  scrapeFrom: Readonly<Record<string, string>>,
): networking.v1.NetworkPolicySpec {
  return {
    podSelector: { matchLabels: selectorOf(identity) },
    policyTypes: ["Ingress", "Egress"],
    ingress: [
      {
        from: [{ namespaceSelector: { matchLabels: { ...scrapeFrom } } }],
        ports: [{ port: METRICS_PORT, protocol: "TCP" }],
      },
    ],
    egress: [
      {
        ports: [
          { port: 53, protocol: "UDP" },
          { port: 53, protocol: "TCP" },
        ],
      },
      { ports: [{ port: portOf(gatewayUrl), protocol: "TCP" }] },
    ],
  };
}

function portOf(gatewayUrl: string): number {
  const { port, protocol } = new URL(gatewayUrl);
  if (port !== "") return Number(port);
  return protocol === "https:" ? 443 : 80;
}
