import { createSecureContext, type SecureContextOptions } from "node:tls";
import { type Files, MOST_CONFIG_BYTES, readingFault } from "../secrets/files.ts";
import { quotePath } from "../secrets/quote.ts";
import { holdSecrets } from "../secrets/redact.ts";
import type { GatewayConfig } from "./config.ts";
import type { GatewayTlsSection } from "./gateway-section.ts";
import { type Checked, type Report, right } from "./rules.ts";

/** The files of `gateway.tls`, if TLS can use them. `readBytes`, because a change of these files is followed. */
export async function readGatewayTls(
  section: Checked<GatewayTlsSection>,
  resolve: (path: string) => string,
  { readBytes }: Pick<Files, "readBytes">,
  report: Report,
): Promise<GatewayConfig["tls"]> {
  async function read(field: keyof GatewayTlsSection): Promise<string | undefined> {
    const path = right(section, field);
    if (path === undefined) return undefined;
    const refuse = (fault: string) =>
      report(["gateway", "tls", field], `file ${quotePath(resolve(path))} ${fault}`);
    try {
      return Buffer.from(await readBytes(resolve(path), MOST_CONFIG_BYTES)).toString();
    } catch (error) {
      refuse(readingFault(error));
      return undefined;
    }
  }

  const [ca, cert, key] = await Promise.all([read("ca_file"), read("cert_file"), read("key_file")]);
  const tls = {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  };
  if (key !== undefined) holdSecrets("gateway.tls.key_file", [key.trim()]);
  const fault = tlsFault(tls);
  if (fault !== undefined)
    report(["gateway", "tls"], `has certificates or a key that TLS cannot use: ${fault}`);
  return tls;
}

/** Why TLS refuses certificates or a key, such as "bad end line" or "ee key too small". */
export function tlsFault(options: SecureContextOptions): string | undefined {
  try {
    createSecureContext(options);
    return undefined;
  } catch (error) {
    return error instanceof Error && "reason" in error ? String(error.reason) : "unknown reason";
  }
}
