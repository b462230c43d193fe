import { z } from "zod";
import { flag, isNot, list, section, text } from "../field.ts";
import { quote } from "../../secrets/quote.ts";
import { right, withRules } from "../rules.ts";
import type { TlsOptions } from "node:tls";

/** The web configuration after its check: how the exporter serves, and who has access. */
export interface WebConfig {
  /** Undefined: plain HTTP. */
  readonly tls: WebTls | undefined;
  /** Values by name. An empty header is not sent. */
  readonly headers: ReadonlyMap<string, string>;
  /** bcrypt hashes of passwords, by user. Without users there is no authentication. */
  readonly users: ReadonlyMap<string, string>;
}

export interface WebTls {
  /** Certificate, key and what the handshake allows. */
  readonly options: TlsOptions & { readonly cert: string; readonly key: string };
  /** When the certificate expires, epoch milliseconds. */
  readonly certificateEndMs?: number;
  readonly clientAuth: ClientAuth;
  /** A client's certificate must have one of these names; undefined: any name is accepted. */
  readonly allowedSans: readonly string[] | undefined;
}

/** Whether the server requests or requires a client certificate, and whether it verifies it. */
export type ClientAuth = "none" | "request" | "require" | "verify if given" | "require and verify";

/** The source of the web configuration. It is read again for each use, as in the exporter-toolkit. */
export interface WebSource {
  /** What the process started with. Whether it serves TLS and asks for client certificates changes by a restart only. */
  readonly initial: WebConfig;
  /** The current configuration; undefined when it cannot be used. */
  current(): Promise<WebConfig | undefined>;
  /** Whether the files could be used when they were last read. If not, the previous certificate may still be in use. */
  isUpToDate(): boolean;
  /** When the certificate in use expires, epoch milliseconds; undefined without TLS. */
  certificateEndMs?(): number | undefined;
}

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

const CIPHER_SUITES: readonly string[] = [...SUITES_13, ...SUITES_12.keys()];

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

const file = () => text(1, 4096);

const tlsFields = section({
  cert_file: file(),
  key_file: file(),
  client_auth_type: oneOf(CLIENT_AUTH_TYPES.keys()).prefault("NoClientCert"),
  client_ca_file: file().optional(),
  client_allowed_sans: list(text(1, 1024)).optional(),
  min_version: oneOf(TLS_VERSIONS.keys()).prefault("TLS12"),
  max_version: oneOf(TLS_VERSIONS.keys()).prefault("TLS13"),
  cipher_suites: list(oneOf(CIPHER_SUITES)).prefault([]),
  prefer_server_cipher_suites: flag().prefault(true),
  curve_preferences: list(oneOf(CURVES.keys())).prefault([]),
});

/** The section `tls_server_config` after its check. */
export type TlsSection = z.output<typeof tlsFields>;

const tlsSection = withRules(tlsFields, (tls, report) => {
  const [type, clientCa] = [right(tls, "client_auth_type"), right(tls, "client_ca_file")];
  const auth = CLIENT_AUTH_TYPES.get(type ?? "");
  const verifies = auth === "verify if given" || auth === "require and verify";
  const shown = quote(type);
  const add = (field: string, message: string) => report([field], message);
  if (right(tls, "min_version") === "TLS13" && right(tls, "max_version") === "TLS12") {
    add("min_version", `"TLS13" is above max_version, "TLS12"`);
  }
  if (auth !== undefined && !verifies && clientCa !== undefined) {
    add("client_ca_file", `has no effect while client_auth_type is ${shown}, which verifies nothing`);
  }
  if (verifies && clientCa === undefined) add("client_auth_type", `${shown} needs client_ca_file`);
  if (auth !== undefined && !auth.startsWith("require") && right(tls, "client_allowed_sans")) {
    const needed = "RequireAnyClientCert or RequireAndVerifyClientCert";
    add("client_allowed_sans", `needs client_auth_type to be ${needed}; it is ${shown}`);
  }
});

/** A value that a header may have. An empty header is not sent. */
const header = () => {
  const rule = "printable ASCII in one line";
  const error = ({ input }: { readonly input?: unknown }) => isNot(rule, input);
  return z
    .string({ error })
    .regex(/^[\x20-\x7e]*$/, { error })
    .optional();
};

const headersSection = section({
  "Content-Security-Policy": header(),
  "X-Frame-Options": oneOf(["deny", "sameorigin"]).optional(),
  "X-Content-Type-Options": oneOf(["nosniff"]).optional(),
  "X-XSS-Protection": header(),
  "Strict-Transport-Security": header(),
});

const httpSection = section({
  http2: flag()
    .refine((isOn) => !isOn, {
      error: "true is not supported: only HTTP/1.1 is served; leave it out or set false",
    })
    .optional(),
  headers: headersSection.optional(),
});

/** A login with a much higher cost would delay all others for seconds. */
const HASH = /^\$2[aby]\$(?:0[4-9]|1[0-5])\$[./A-Za-z0-9]{53}$/;
const HASH_RULE = "a bcrypt hash with a cost from 4 to 15, such as htpasswd -nBC 10 writes";
const hash = z
  .string({ error: `the value (not shown) is not ${HASH_RULE}` })
  .regex(HASH, { error: `the text (not shown: it may be a password) is not ${HASH_RULE}` });

/** zod leaves out a field of this name, so the user, perhaps the only one, would be missing without a message. */
const allUsers = z.custom<unknown>((value) => !Object.hasOwn(Object(value), "__proto__"), {
  error: 'user "__proto__" is not supported; choose another name',
});

/** In basic authentication the first colon ends the user name (RFC 7617). */
const users = z
  .record(z.string(), hash, { error: ({ input }) => isNot("a mapping of users to bcrypt hashes", input) })
  .superRefine((byUser, context) => {
    for (const user of Object.keys(byUser)) {
      if (/^[^:\p{Cc}]+$/u.test(user)) continue;
      const message = `user ${quote(user)} can never log in: a name must not be empty or contain a colon or a control character`;
      context.addIssue({ code: "custom", message });
    }
  });

/** The file of `--web.config.file`, in the format of Prometheus' exporter-toolkit. */
export const webFile = section({
  tls_server_config: tlsSection.optional(),
  http_server_config: httpSection.optional(),
  basic_auth_users: allUsers.pipe(users).optional(),
});

export type WebFile = z.output<typeof webFile>;

/** Fields of the toolkit that are not supported here, by path. */
export const UNSUPPORTED: ReadonlyMap<string, string> = new Map([
  ["rate_limit", "is not supported; --web.max-requests limits concurrent scrapes"],
  ["tls_server_config.cert", "is not supported; name the file of the certificate in cert_file"],
  ["tls_server_config.key", "is not supported; name the file of the key in key_file"],
  ["tls_server_config.client_ca", "is not supported; name the file of the certificates in client_ca_file"],
]);

function oneOf(names: Iterable<string>) {
  const known = [...names];
  const error = ({ input }: { readonly input?: unknown }) =>
    isNot(known.length === 1 ? String(known[0]) : `one of ${known.join(", ")}`, input);
  return z.string({ error }).refine((name) => known.includes(name), { error });
}
