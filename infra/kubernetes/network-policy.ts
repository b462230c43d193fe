import type { networking } from "@pulumi/kubernetes/types/input.js";
import { selectorOf, type Identity } from "./identity.ts";
import { DEFAULT_PORT } from "../../exporter/config/schema.ts";

/**
 * Allows incoming scrapes, and outgoing traffic to DNS and the gateway's port. The gateway's address is unknown at this point, so
 * any address is allowed on that port. Kubelet probes come from the node, to which network policies do not apply.
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
        ports: [{ port: DEFAULT_PORT, protocol: "TCP" }],
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
