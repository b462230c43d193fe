import dns from "node:dns";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { vi } from "vitest";

import { failing, type FaultCase } from "./fault-case.ts";
import { createSelfSigned } from "./self-signed.ts";

const trusted = createSelfSigned();

/** Too long for a host name, so that no DNS server is queried. */
const NO_NAME = `${"x".repeat(64)}.invalid`;

/** Faults of the transport: all keys and queries have one gateway, so all of them fail. */
export const gatewayCases: readonly FaultCase[] = [
  {
    title: "DNS failure (whole gateway)",
    ...failing("network"),
    wholeGateway: {
      begin: () => {
        const askForAnother: ProxyHandler<typeof dns.lookup> = {
          apply: (lookup, self, [, ...rest]) => Reflect.apply(lookup, self, [NO_NAME, ...rest]),
        };
        const lookup = new Proxy(dns.lookup, askForAnother);
        vi.spyOn(dns, "lookup").mockImplementation(lookup);
      },
      end: () => void vi.restoreAllMocks(),
    },
  },
  {
    title: "TLS failure: a certificate that is not trusted (whole gateway)",
    ...failing("network"),
    wholeGateway: {
      certificate: trusted,
      begin: (gateway) => gateway.certify(createSelfSigned()),
      end: (gateway) => gateway.certify(trusted),
    },
  },
];

/** Sets the certificates that the whole process trusts from now on. */
export function trust(): void {
  setDefaultCACertificates([...getCACertificates("default"), trusted.cert]);
}
