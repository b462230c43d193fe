import { createPrivateKey, X509Certificate } from "node:crypto";
import { dirname, isAbsolute, join } from "node:path";
import { type Files, MOST_CONFIG_BYTES, readingFault } from "../../secrets/files.ts";
import { findingsOf, pathText, type Problem, problemsOf } from "../problem.ts";
import { type Checked, type Finding, inspect, right, sectionOf } from "../rules.ts";
import { holdSecrets } from "../../secrets/redact.ts";
import {
  cipherList,
  CLIENT_AUTH_TYPES,
  CURVES,
  TLS_VERSIONS,
  type TlsSection,
  UNSUPPORTED,
  webFile,
  type WebFile,
  type WebConfig,
  type WebTls,
} from "./schema.ts";
import { parseYaml } from "../yaml-text.ts";
import { tlsFault } from "../gateway-tls.ts";
import { quotePath } from "../../secrets/quote.ts";

export type WebLoadResult =
  | { readonly ok: true; readonly config: WebConfig }
  | {
      readonly ok: false;
      readonly problems: readonly Problem[];
      /** What the file sets, with the former certificate, if only its own certificate or key is unusable. */
      readonly config?: WebConfig | undefined;
    };

/**
 * Reads the web configuration and the files that it names, relative to its folder. Every problem is reported at once.
 * @param former the configuration that serves until now.
 */
export async function loadWebConfig(
  path: string,
  files: Pick<Files, "readFile">,
  former?: WebConfig,
): Promise<WebLoadResult> {
  let text: string;
  try {
    text = await files.readFile(path, MOST_CONFIG_BYTES);
  } catch (error) {
    return { ok: false, problems: [{ path: "", message: readingFault(error) }] };
  }
  const yaml = parseYaml(text);
  if (yaml.value === undefined && yaml.findings.length > 0)
    return { ok: false, problems: problemsOf(yaml.findings, yaml.lineOf) };
  // An empty file sets nothing, as in the toolkit.
  const value = yaml.value ?? {};
  const { data, error, checked } = inspect(webFile, value);
  const certificates = await readCertificates(certificatePaths(path, checked), files);
  const problems = [...yaml.findings, ...findingsOf(error).map(withAdvice), ...certificates.problems];
  if (data && problems.length === 0) return { ok: true, config: toConfig(path, data, certificates) };
  const isExchange =
    yaml.findings.length === 0 &&
    certificates.problems.every(({ path: at }) => CERTIFICATE.test(pathText(at)));
  const pair = isExchange ? former?.tls?.options : undefined;
  return {
    ok: false,
    problems: problemsOf(problems, yaml.lineOf),
    config: data && pair && toConfig(path, data, { ...certificates, cert: pair.cert, key: pair.key }),
  };
}

const CERTIFICATE = /^tls_server_config\.(?:cert|key)_file$/;

function certificatePaths(path: string, file: Checked<WebFile> | undefined): CertificatePaths {
  const tls = file && sectionOf(file, "tls_server_config");
  const resolve = (field: keyof CertificatePaths) => {
    const written = tls && right(tls, field);
    return written === undefined || isAbsolute(written) ? written : join(dirname(path), written);
  };
  return {
    cert_file: resolve("cert_file"),
    key_file: resolve("key_file"),
    client_ca_file: resolve("client_ca_file"),
  };
}

function withAdvice({ path, message }: Finding): Finding {
  return { path, message: UNSUPPORTED.get(pathText(path)) ?? message };
}

function toConfig(path: string, file: WebFile, certificates: Certificates): WebConfig {
  const headers = Object.entries(file.http_server_config?.headers ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const hashes = Object.values(file.basic_auth_users ?? {});
  const config = {
    tls: file.tls_server_config && toTls(file.tls_server_config, certificates),
    headers: new Map(headers),
    users: new Map(Object.entries(file.basic_auth_users ?? {})),
  };
  holdSecrets(path, [certificates.key.trim(), ...hashes]);
  return config;
}

function toTls(section: TlsSection, { cert, key, clientCa }: Certificates): WebTls {
  const curves = section.curve_preferences.flatMap((name) => CURVES.get(name) ?? []);
  const clientAuth = CLIENT_AUTH_TYPES.get(section.client_auth_type) ?? "none";
  return {
    certificateEndMs: Date.parse(new X509Certificate(cert).validTo),
    clientAuth,
    allowedSans: section.client_allowed_sans,
    options: {
      cert,
      key,
      ...(clientCa !== "" && { ca: clientCa }),
      minVersion: TLS_VERSIONS.get(section.min_version) ?? "TLSv1.2",
      maxVersion: TLS_VERSIONS.get(section.max_version) ?? "TLSv1.3",
      ciphers: cipherList(section.cipher_suites),
      honorCipherOrder: section.prefer_server_cipher_suites,
      ...(curves.length > 0 && { ecdhCurve: curves.join(":") }),
    },
  };
}

/** Paths of the TLS files that the web configuration names, by field. */
type CertificatePaths = Readonly<Record<"cert_file" | "key_file" | "client_ca_file", string | undefined>>;

/** The PEM texts of the TLS files; empty if a file is not named or unusable. */
interface Certificates {
  readonly cert: string;
  readonly key: string;
  readonly clientCa: string;
  readonly problems: readonly Finding[];
}

/** Reads certificate, key and client authorities, and checks that they are usable and match. */
async function readCertificates(
  paths: CertificatePaths,
  { readFile }: Pick<Files, "readFile">,
): Promise<Certificates> {
  const problems: Finding[] = [];
  async function read<Parsed>(field: keyof CertificatePaths, parse: (pem: string) => Parsed, rule: string) {
    const path = paths[field];
    if (path === undefined) return undefined;
    const report = (message: string) =>
      void problems.push({
        path: ["tls_server_config", field],
        message: `file ${quotePath(path)} ${message}`,
      });
    let text: string;
    try {
      text = await readFile(path, MOST_CONFIG_BYTES);
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
  const cert = await read("cert_file", (pem) => new X509Certificate(pem), "contains no certificate (PEM)");
  const key = await read("key_file", createPrivateKey, "contains no private key without a passphrase (PEM)");
  // `X509Certificate` reads only the first certificate of a chain.
  const fault = cert && tlsFault({ cert: cert.text });
  if (fault !== undefined) cert?.report(`contains a certificate that TLS cannot use: ${fault}`);
  if (cert && key && !cert.parsed.checkPrivateKey(key.parsed)) {
    key.report("contains a key that does not match cert_file");
  }
  const clientCa = await read("client_ca_file", authorities, "contains no certificates (PEM)");
  return { cert: cert?.text ?? "", key: key?.text ?? "", clientCa: clientCa?.text ?? "", problems };
}

function authorities(pem: string): readonly X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new RangeError("no certificate");
  return blocks.map((block) => new X509Certificate(block));
}
