import type { ClientAuth } from "./web-config.ts";

/** Maps the exporter-toolkit's names, which are Go's, to ours. */
export const CLIENT_AUTH_TYPES: ReadonlyMap<string, ClientAuth> = new Map([
  ["NoClientCert", "none"],
  ["RequestClientCert", "request"],
  ["RequireClientCert", "require"],
  ["RequireAnyClientCert", "require"],
  ["VerifyClientCertIfGiven", "verify if given"],
  ["RequireAndVerifyClientCert", "require and verify"],
]);

/** Node's build of OpenSSL refuses older versions. */
export const TLS_VERSIONS: ReadonlyMap<string, "TLSv1.2" | "TLSv1.3"> = new Map([
  ["TLS12", "TLSv1.2"],
  ["TLS13", "TLSv1.3"],
]);

export const CURVES: ReadonlyMap<string, string> = new Map([
  ["CurveP256", "P-256"],
  ["CurveP384", "P-384"],
  ["CurveP521", "P-521"],
  ["X25519", "X25519"],
]);

/** The suites of TLS 1.3 have the same names in OpenSSL. */
const SUITES_13 = ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"];

const SUITES_12: ReadonlyMap<string, string> = new Map([
  ["TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", "ECDHE-ECDSA-AES128-SHA"],
  ["TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", "ECDHE-ECDSA-AES256-SHA"],
  ["TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", "ECDHE-RSA-AES128-SHA"],
  ["TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", "ECDHE-RSA-AES256-SHA"],
  ["TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256"],
  ["TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "ECDHE-ECDSA-AES256-GCM-SHA384"],
  ["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "ECDHE-RSA-AES128-GCM-SHA256"],
  ["TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "ECDHE-RSA-AES256-GCM-SHA384"],
  ["TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"],
  ["TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-RSA-CHACHA20-POLY1305"],
]);

export const CIPHER_SUITES: readonly string[] = [...SUITES_13, ...SUITES_12.keys()];

/** OpenSSL's list for the chosen suites. A TLS version without a chosen suite keeps its default suites. */
export function cipherList(chosen: readonly string[]): string {
  const chosen13 = chosen.filter((name) => SUITES_13.includes(name));
  const chosen12 = chosen.flatMap((name) => SUITES_12.get(name) ?? []);
  return [
    ...(chosen13.length > 0 ? chosen13 : SUITES_13),
    ...(chosen12.length > 0 ? chosen12 : MODERN_12),
  ].join(":");
}

/** The default suites: with forward secrecy and without CBC. */
const MODERN_12 = [...SUITES_12.values()].filter((name) => /GCM|CHACHA20/.test(name));
