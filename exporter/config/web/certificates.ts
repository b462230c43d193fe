import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { readingFault } from "../file-error.ts";
import type { Files } from "../files.ts";
import type { Problem } from "../problem.ts";
import { quotePath } from "../quote.ts";

/** Paths of the TLS files that the web configuration names. */
export interface CertificatePaths {
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly clientCa: string | undefined;
}

/** The PEM texts of the TLS files; empty if a file is not named or unusable. */
export interface Certificates {
  readonly cert: string;
  readonly key: string;
  readonly clientCa: string;
  readonly problems: readonly Problem[];
}

/** The largest web configuration or TLS file; a bundle of all public authorities has a quarter of it. */
export const MOST_WEB_BYTES = 1024 * 1024;

/** Reads certificate, key and client authorities, and checks that they are usable and match. */
export async function readCertificates(
  paths: CertificatePaths,
  { readFile }: Pick<Files, "readFile">,
): Promise<Certificates> {
  const problems: Problem[] = [];
  async function read<Parsed>(
    field: string,
    path: string | undefined,
    parse: (pem: string) => Parsed,
    rule: string,
  ) {
    const report = (message: string) =>
      void problems.push({
        path: `tls_server_config.${field}`,
        message: `file ${quotePath(path ?? "")} ${message}`,
      });
    if (path === undefined) return undefined;
    let text: string;
    try {
      text = await readFile(path, MOST_WEB_BYTES);
    } catch (error) {
      report(readingFault(error));
      return undefined;
    }
    try {
      return { text, parsed: parse(text), report };
    } catch {
      report(rule);
      return undefined;
    }
  }
  const [cert, key, clientCa] = await Promise.all([
    read("cert_file", paths.cert, (pem) => new X509Certificate(pem), "contains no certificate (PEM)"),
    read("key_file", paths.key, privateKey, "contains no private key without a passphrase (PEM)"),
    read("client_ca_file", paths.clientCa, authorities, "contains no certificates (PEM)"),
  ]);
  const fault = cert && tlsFault(cert.text);
  if (fault !== undefined) cert?.report(`contains a certificate that TLS cannot use: ${fault}`);
  if (cert && key && !cert.parsed.checkPrivateKey(key.parsed)) {
    key.report("contains a key that does not match cert_file");
  }
  // The files are read at the same time, so their problems come in any order.
  const sorted = problems.toSorted((one, other) => FIELDS.indexOf(one.path) - FIELDS.indexOf(other.path));
  return { cert: cert?.text ?? "", key: key?.text ?? "", clientCa: clientCa?.text ?? "", problems: sorted };
}

const FIELDS = ["cert_file", "key_file", "client_ca_file"].map((field) => `tls_server_config.${field}`);

/**
 * Why no server can present a chain, such as "bad end line" or "ee key too small". The parser reads only its first
 * certificate.
 */
function tlsFault(cert: string): string | undefined {
  try {
    createSecureContext({ cert });
    return undefined;
  } catch (error) {
    return error instanceof Error && "reason" in error ? String(error.reason) : "unknown reason";
  }
}

function privateKey(pem: string): KeyObject {
  return createPrivateKey(pem);
}

function authorities(pem: string): readonly X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new RangeError("no certificate");
  return blocks.map((block) => new X509Certificate(block));
}
