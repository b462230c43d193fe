import { dirname, isAbsolute, join } from "node:path";
import { readingFault } from "../file-error.ts";
import type { Files } from "../files.ts";
import { firstProblems, problemsOf, withoutRepetitions, type Problem } from "../problem.ts";
import { type Checked, inspect, right, sectionOf } from "../rules.ts";
import { rememberSecrets } from "../secret.ts";
import {
  type CertificatePaths,
  type Certificates,
  MOST_WEB_BYTES,
  readCertificates,
} from "./certificates.ts";
import type { WebConfig, WebTls } from "./web-config.ts";
import { cipherList, CLIENT_AUTH_TYPES, CURVES, TLS_VERSIONS } from "./names.ts";
import { type TlsSection, UNSUPPORTED, webFile, type WebFile } from "./schema.ts";
import { parseYamlInPieces } from "../yaml-text.ts";

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
    text = await files.readFile(path, MOST_WEB_BYTES);
  } catch (error) {
    return { ok: false, problems: [{ path: "", message: readingFault(error) }] };
  }
  const yaml = await parseYamlInPieces(text);
  if (yaml.value === undefined && yaml.problems.length > 0)
    return { ok: false, problems: firstProblems(yaml.problems, yaml.lineOf) };
  // An empty file sets nothing, as in the toolkit.
  const value = yaml.value ?? {};
  const { data, error, checked } = inspect(webFile, value);
  const certificates = await readCertificates(certificatePaths(path, checked), files);
  const problems = withoutRepetitions([
    ...yaml.problems,
    ...(error ? problemsOf(error).map(withAdvice) : []),
    ...certificates.problems,
  ]);
  if (data && problems.length === 0) return { ok: true, config: toConfig(data, certificates) };
  const isExchange =
    yaml.problems.length === 0 && certificates.problems.every(({ path: at }) => CERTIFICATE.test(at));
  const pair = isExchange ? former?.tls?.options : undefined;
  return {
    ok: false,
    problems: firstProblems(problems, yaml.lineOf),
    config: data && pair && toConfig(data, { ...certificates, cert: pair.cert, key: pair.key }),
  };
}

const CERTIFICATE = /^tls_server_config\.(?:cert|key)_file$/;

function certificatePaths(path: string, file: Checked<WebFile> | undefined): CertificatePaths {
  const tls = file && sectionOf(file, "tls_server_config");
  const resolve = (field: "cert_file" | "key_file" | "client_ca_file") => {
    const written = tls && right(tls, field);
    return written === undefined || isAbsolute(written) ? written : join(dirname(path), written);
  };
  return { cert: resolve("cert_file"), key: resolve("key_file"), clientCa: resolve("client_ca_file") };
}

function withAdvice({ path, message }: Problem): Problem {
  return { path, message: UNSUPPORTED.get(path) ?? message };
}

function toConfig(file: WebFile, certificates: Certificates): WebConfig {
  const headers = Object.entries(file.http_server_config?.headers ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const hashes = Object.values(file.basic_auth_users ?? {});
  const config = {
    tls: file.tls_server_config && toTls(file.tls_server_config, certificates),
    headers: new Map(headers),
    users: new Map(Object.entries(file.basic_auth_users ?? {})),
  };
  rememberSecrets(config, [certificates.key.trim(), ...hashes]);
  return config;
}

function toTls(section: TlsSection, { cert, key, clientCa }: Certificates): WebTls {
  const curves = section.curve_preferences.flatMap((name) => CURVES.get(name) ?? []);
  const clientAuth = CLIENT_AUTH_TYPES.get(section.client_auth_type) ?? "none";
  return {
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
