import { dirname, isAbsolute, join } from "node:path";
import { z } from "zod";
import { readingFault, type Files } from "../files.ts";
import { problemsOf, withoutRepetitions, type Problem } from "../problem.ts";
import { quote } from "../quote.ts";
import { rememberSecrets } from "../secret.ts";
import { type Certificates, readCertificates } from "./certificates.ts";
import type { WebConfig, WebTls } from "./web-config.ts";
import { cipherList, CLIENT_AUTH_TYPES, CURVES, TLS_VERSIONS } from "./names.ts";
import { tlsSection, UNSUPPORTED, webFile, type WebFile } from "./schema.ts";
import { parseYaml } from "../yaml-text.ts";

export type WebLoadResult =
  | { readonly ok: true; readonly config: WebConfig }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Reads the web configuration with the files that it names, relative to its folder. What is wrong comes all at once. */
export async function loadWebConfig(path: string, files: Pick<Files, "readFile">): Promise<WebLoadResult> {
  let text: string;
  try {
    text = await files.readFile(path);
  } catch (error) {
    return { ok: false, problems: [{ path: "", message: readingFault(error) }] };
  }
  const yaml = parseYaml(text);
  if (yaml.value === undefined && yaml.problems.length > 0) return { ok: false, problems: yaml.problems };
  // A file without content asks for nothing, as in the toolkit.
  const value = yaml.value ?? {};
  const parsed = webFile.safeParse(value);
  const tls = tlsDraft.safeParse(value).data?.tls_server_config;
  const resolve = (written: string | undefined) =>
    written === undefined || isAbsolute(written) ? written : join(dirname(path), written);
  const named = { cert: tls?.cert_file, key: tls?.key_file, clientCa: tls?.client_ca_file };
  const paths = { cert: resolve(named.cert), key: resolve(named.key), clientCa: resolve(named.clientCa) };
  const certificates = await readCertificates(paths, files);
  const problems = withoutRepetitions([
    ...yaml.problems,
    ...(parsed.success ? [] : problemsOf(parsed.error).map(withAdvice)),
    ...(tls ? betweenFields(tls) : []),
    ...certificates.problems,
  ]);
  if (!parsed.success || problems.length > 0) return { ok: false, problems };
  return { ok: true, config: toConfig(parsed.data, certificates) };
}

function withAdvice({ path, message }: Problem): Problem {
  return { path, message: UNSUPPORTED.get(path) ?? message };
}

const { shape } = tlsSection;
const readable = <Schema extends z.ZodType>(schema: Schema) => schema.optional().catch(undefined);

/** What can be read of the section whatever else is wrong with it. */
const tlsDraft = z.object({
  tls_server_config: z
    .object({
      cert_file: readable(shape.cert_file),
      key_file: readable(shape.key_file),
      client_ca_file: readable(shape.client_ca_file),
      client_auth_type: readable(shape.client_auth_type),
      client_allowed_sans: readable(shape.client_allowed_sans),
      min_version: readable(shape.min_version),
      max_version: readable(shape.max_version),
    })
    .optional()
    .catch(undefined),
});

type TlsDraft = NonNullable<z.output<typeof tlsDraft>["tls_server_config"]>;

function betweenFields(tls: TlsDraft): readonly Problem[] {
  const problems: Problem[] = [];
  const say = (field: string, message: string) =>
    void problems.push({ path: `tls_server_config.${field}`, message });
  const { client_auth_type: type, client_ca_file: authorities, min_version: min, max_version: max } = tls;
  const auth = CLIENT_AUTH_TYPES.get(type ?? "");
  const verifies = auth === "verify if given" || auth === "require and verify";
  const shown = quote(type ?? "NoClientCert");
  if (min === "TLS13" && max === "TLS12") say("min_version", `"TLS13" is above max_version, "TLS12"`);
  if (auth !== undefined && !verifies && authorities !== undefined) {
    say("client_ca_file", `is of no use while client_auth_type is ${shown}, which verifies nothing`);
  }
  if (verifies && authorities === undefined) say("client_auth_type", `${shown} needs client_ca_file`);
  if (auth !== undefined && !auth.startsWith("require") && tls.client_allowed_sans) {
    const needed = "RequireAnyClientCert or RequireAndVerifyClientCert";
    say("client_allowed_sans", `needs client_auth_type to be ${needed}; it is ${shown}`);
  }
  return problems;
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

function toTls(section: z.output<typeof tlsSection>, { cert, key, clientCa }: Certificates): WebTls {
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
