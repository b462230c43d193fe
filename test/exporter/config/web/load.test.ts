import { describe, expect, test } from "vitest";
import { formatProblem } from "../../../../exporter/config/problem.ts";
import { loadWebConfig } from "../../../../exporter/config/web/load.ts";
import { createAuthority } from "../../../support/certificates.ts";
import { hashedPassword } from "../../../support/https-client.ts";

const authority = createAuthority();
const server = authority.issue("localhost");
const HASH = hashedPassword("secret");

const FILES: Readonly<Record<string, string>> = {
  "/etc/web/tls/server.crt": server.cert,
  "/etc/web/tls/server.key": server.key,
  "/etc/web/other.key": createAuthority().key,
  "/etc/web/half.crt": server.cert.slice(0, 200),
  "/etc/web/half-chain.crt": server.cert + authority.cert.slice(0, 200),
  "/run/ca.pem": `# ours\n${authority.cert}${createAuthority().cert}`,
};
const PAIR = "cert_file: tls/server.crt, key_file: tls/server.key";

function load(text: string) {
  const files: Readonly<Record<string, string>> = { ...FILES, "/etc/web/web.yaml": text };
  return loadWebConfig("/etc/web/web.yaml", {
    readFile: (path) => {
      const content = files[path];
      if (content !== undefined) return Promise.resolve(content);
      return Promise.reject(Object.assign(new Error("no such file"), { code: "ENOENT" }));
    },
  });
}

async function configOf(text: string) {
  const loaded = await load(text);
  if (!loaded.ok) throw new Error(loaded.problems.map((problem) => formatProblem("web", problem)).join("\n"));
  return loaded.config;
}

describe("loadWebConfig()", () => {
  test.each(["", "{}", "# nothing\n"])("%j is plain HTTP without authentication", async (text) => {
    expect(await configOf(text)).toEqual({ tls: undefined, headers: new Map(), users: new Map() });
  });

  test("uses the toolkit's defaults, and finds files in its own folder", async () => {
    const { tls } = await configOf(`tls_server_config: {${PAIR}}`);
    expect(tls).toMatchObject({ clientAuth: "none", allowedSans: undefined });
    expect(tls?.options).toMatchObject({
      cert: server.cert,
      key: server.key,
      minVersion: "TLSv1.2",
      maxVersion: "TLSv1.3",
      honorCipherOrder: true,
    });
    expect(tls?.options.ciphers).toContain("TLS_AES_128_GCM_SHA256:");
    expect(tls?.options.ciphers).not.toContain("-SHA:");
  });

  test("accepts every field", async () => {
    const { tls, headers, users } = await configOf(`
tls_server_config:
  cert_file: tls/server.crt
  key_file: tls/server.key
  client_auth_type: RequireAndVerifyClientCert
  client_ca_file: /run/ca.pem
  client_allowed_sans: [prometheus.example, "spiffe://example/prometheus"]
  min_version: TLS12
  max_version: TLS12
  cipher_suites: [TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, TLS_AES_256_GCM_SHA384]
  prefer_server_cipher_suites: false
  curve_preferences: [X25519, CurveP256]
http_server_config:
  http2: false
  headers: {X-Frame-Options: sameorigin, Content-Security-Policy: "", Strict-Transport-Security: max-age=31536000}
basic_auth_users: {alice: "${HASH}", "bob b": "${HASH.replace("$2b", "$2y")}"}
`);
    expect(tls).toMatchObject({
      clientAuth: "require and verify",
      allowedSans: ["prometheus.example", "spiffe://example/prometheus"],
      options: {
        ca: FILES["/run/ca.pem"],
        maxVersion: "TLSv1.2",
        ciphers: "TLS_AES_256_GCM_SHA384:ECDHE-ECDSA-AES128-GCM-SHA256",
        honorCipherOrder: false,
        ecdhCurve: "X25519:P-256",
      },
    });
    expect([...headers]).toEqual([
      ["Content-Security-Policy", ""],
      ["X-Frame-Options", "sameorigin"],
      ["Strict-Transport-Security", "max-age=31536000"],
    ]);
    expect([...users.keys()]).toEqual(["alice", "bob b"]);
  });

  test.each<[string, readonly string[]]>([
    ["[]", ["is not a mapping"]],
    ["a: [", ["line 1"]],
    [
      "tls_server: {}",
      ["tls_server: is not a known field; known fields: tls_server_config, http_server_config"],
    ],
    [tlsWith("key: xyz"), ["tls_server_config.key: is not supported; name the file of the key in key_file"]],
    [
      "tls_server_config: {cert_file: none.crt, key_file: tls/server.crt}",
      [
        'tls_server_config.cert_file: file "/etc/web/none.crt" does not exist',
        'tls_server_config.key_file: file "/etc/web/tls/server.crt" contains no private key without a passphrase (PEM)',
      ],
    ],
    [
      "tls_server_config: {cert_file: half.crt, key_file: other.key}",
      ['tls_server_config.cert_file: file "/etc/web/half.crt" contains no certificate (PEM)'],
    ],
    [`basic_auth_users: {__proto__: "${HASH}"}`, ['basic_auth_users: user "__proto__" is not supported']],
    [
      "tls_server_config: {cert_file: half-chain.crt, key_file: tls/server.key}",
      [
        'tls_server_config.cert_file: file "/etc/web/half-chain.crt" contains a certificate that TLS cannot use: bad end line',
      ],
    ],
    [
      "tls_server_config: {cert_file: tls/server.crt, key_file: other.key}",
      ['tls_server_config.key_file: file "/etc/web/other.key" contains a key that does not match cert_file'],
    ],
    [
      tlsWith("client_auth_type: RequireAndVerifyClientCert, client_ca_file: other.key"),
      ['tls_server_config.client_ca_file: file "/etc/web/other.key" contains no certificates (PEM)'],
    ],
    [
      tlsWith("client_auth_type: Always, min_version: TLS10, max_version: SSL3"),
      [
        'tls_server_config.client_auth_type: "Always" is not one of NoClientCert,',
        'tls_server_config.min_version: "TLS10" is not one of TLS12, TLS13',
        'tls_server_config.max_version: "SSL3" is not one of TLS12, TLS13',
      ],
    ],
    [
      tlsWith("min_version: TLS13, max_version: TLS12"),
      ['min_version: "TLS13" is above max_version, "TLS12"'],
    ],
    [
      tlsWith("client_auth_type: VerifyClientCertIfGiven"),
      ['"VerifyClientCertIfGiven" needs client_ca_file'],
    ],
    [
      tlsWith("client_ca_file: /run/ca.pem"),
      ['client_ca_file: has no effect while client_auth_type is "NoClientCert"'],
    ],
    [
      tlsWith("client_auth_type: RequestClientCert, client_allowed_sans: [a]"),
      [
        "client_allowed_sans: needs client_auth_type to be RequireAnyClientCert or RequireAndVerifyClientCert",
      ],
    ],
    [
      tlsWith("cipher_suites: [TLS_RSA_WITH_RC4_128_SHA], curve_preferences: [CurveP224]"),
      [
        'cipher_suites[0]: "TLS_RSA_WITH_RC4_128_SHA" is not one of',
        'curve_preferences[0]: "CurveP224" is not one of',
      ],
    ],
    ["http_server_config: {http2: true}", ["http_server_config.http2: true is not supported: only HTTP/1.1"]],
    [
      'http_server_config: {headers: {X-Frame-Options: allow, Server: me, X-XSS-Protection: "a\\nb"}}',
      [
        'headers.X-Frame-Options: "allow" is not one of deny, sameorigin',
        "headers.X-XSS-Protection:",
        "headers.Server: is not a known field",
      ],
    ],
    [
      `basic_auth_users: {alice: hunter2, bob: "$2y$31$${"a".repeat(53)}", "a:b": "${HASH}"}`,
      [
        "basic_auth_users.alice: the text (not shown: it may be a password) is not a bcrypt hash",
        "basic_auth_users.bob: the text (not shown",
        'basic_auth_users: user "a:b" can never log in',
      ],
    ],
  ])("%s", async (text, expected) => {
    const loaded = await load(text);
    const problems = loaded.ok ? [] : loaded.problems.map((problem) => formatProblem("web.yaml", problem));
    expect(problems).toHaveLength(expected.length);
    for (const [index, part] of expected.entries()) expect(problems[index]).toContain(part);
    expect(problems.join("\n")).not.toMatch(/hunter2|\$2[aby]\$/);
  });
});

function tlsWith(rest: string): string {
  return `tls_server_config: {${PAIR}, ${rest}}`;
}
