import { once } from "node:events";
import { connect as tlsConnect, type ConnectionOptions } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import { loadWebConfig } from "../../../exporter/config/web/load.ts";
import { type Route, textAnswer } from "../../../exporter/http/route.ts";
import { createServer } from "../../../exporter/http/server.ts";
import { createAuthority } from "../../support/certificates.ts";
import type { WebConfig, WebTls } from "../../../exporter/config/web/schema.ts";

const authority = createAuthority();
const page: Route = { path: "/", methods: ["GET"], handle: () => textAnswer(200, "hello\n") };

function webConfig(change: Partial<WebTls> = {}, ca = authority.cert): WebConfig {
  const options = { ...authority.issue("127.0.0.1"), ca };
  return {
    tls: { options, clientAuth: "none", allowedSans: undefined, ...change },
    users: new Map(),
    headers: new Map(),
  };
}

const verifying = webConfig({ clientAuth: "require and verify", allowedSans: ["prometheus.example"] });

/** A server over TLS on two addresses, whose configuration the test changes. */
async function start(initial: WebConfig) {
  const web = { initial, isUpToDate: () => true, current: async () => state.current };
  const refused: unknown[] = [];
  const listen = [0, 0].map((port) => ({ host: "127.0.0.1", port }));
  const server = createServer(listen, [page], () => {}, {
    web,
    onRefusal: (...refusal) => void refused.push(refusal),
  });
  const state = { current: initial, refused, urls: server.urls };
  await server.start();
  onTestFinished(() => server.stop());
  return state;
}

/** One connection, kept open, which asks for the page as often as the test wants. */
function connectTls(url: string | undefined, options: ConnectionOptions) {
  const { port } = new URL(url ?? "");
  const socket = tlsConnect({ host: "127.0.0.1", port: Number(port), ca: authority.cert, ...options });
  onTestFinished(() => void socket.destroy());
  const closed = new Promise<"closed">((resolve) => {
    socket.on("close", () => resolve("closed")).on("error", () => {});
  });
  return {
    socket,
    ask: async () => {
      socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      const answered = once(socket, "data").then(
        ([chunk]: unknown[]) => String(chunk).slice(9, 12),
        () => closed,
      );
      return Promise.race([closed, answered]);
    },
  };
}

describe.each(["TLSv1.2", "TLSv1.3"] as const)("over %s", (maxVersion) => {
  test("a session with a client certificate cannot be resumed", async () => {
    const server = await start(verifying);
    const [url] = server.urls();
    const client = authority.issue("prometheus.example");
    const sessions: Buffer[] = [];
    const first = connectTls(url, { ...client, maxVersion });
    first.socket.on("session", (session) => sessions.push(session));
    expect(await first.ask()).toBe("200");
    const [session = first.socket.getSession()] = sessions;
    // Without the certificate, only a resumed session could be accepted.
    const second = connectTls(url, { maxVersion, ...(session && { session }) });
    expect(await second.ask()).toBe("closed");
    expect(server.refused).toEqual([["client certificate", "127.0.0.1"]]);
  });

  test.each<[string, WebConfig]>([
    ["name", webConfig({ clientAuth: "require and verify", allowedSans: ["other.example"] })],
    ["authority", webConfig({ clientAuth: "require and verify" }, createAuthority("other").cert)],
  ])(
    "when another %s is required, old connections are closed at their next request, on each address",
    async (_name, next) => {
      const server = await start(verifying);
      const options = { ...authority.issue("prometheus.example"), maxVersion };
      const clients = server.urls().map((url) => connectTls(url, options));
      for (const { ask } of clients) expect([await ask(), await ask()]).toEqual(["200", "200"]);
      server.current = next;
      for (const { ask } of clients) expect(await ask()).toBe("closed");
      for (const url of server.urls()) expect(await connectTls(url, options).ask()).toBe("closed");
    },
  );
});

/** A server with a section `tls_server_config` of a file. */
async function startWith(section: object) {
  const { cert, key } = authority.issue("127.0.0.1");
  const content = { tls_server_config: { cert_file: "a.crt", key_file: "a.key", ...section } };
  const files = new Map([
    ["/w/web.yaml", JSON.stringify(content)],
    ["/w/a.crt", cert],
    ["/w/a.key", key],
    ["/w/ca.crt", authority.cert],
  ]);
  const loaded = await loadWebConfig("/w/web.yaml", { readFile: async (path) => files.get(path) ?? "" });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return start(loaded.config);
}

test.each([
  ["NoClientCert", undefined, { none: "200", prometheus: "200", other: "200", forged: "200" }],
  ["RequireAnyClientCert", undefined, { none: "closed", prometheus: "200", other: "200", forged: "200" }],
  [
    "RequireAndVerifyClientCert",
    undefined,
    { none: "closed", prometheus: "200", other: "200", forged: "closed" },
  ],
  [
    "RequireAndVerifyClientCert",
    ["spiffe://example/prometheus"],
    { none: "closed", prometheus: "200", other: "closed", forged: "closed" },
  ],
  [
    "RequireAnyClientCert",
    ["prometheus.example"],
    { none: "closed", prometheus: "200", other: "closed", forged: "200" },
  ],
])("client certificates by %s with SANs %j", async (client_auth_type, client_allowed_sans, expected) => {
  const server = await startWith({
    client_auth_type,
    ...(client_auth_type.includes("Verify") && { client_ca_file: "ca.crt" }),
    ...(client_allowed_sans && { client_allowed_sans }),
  });
  const clients = {
    none: {},
    prometheus: authority.issue("prometheus.example", "spiffe://example/prometheus"),
    other: authority.issue("other.example"),
    forged: createAuthority("a stranger").issue("prometheus.example"),
  };
  const seen: Record<string, string> = {};
  for (const [name, client] of Object.entries(clients))
    seen[name] = await connectTls(server.urls()[0], client).ask();
  expect(seen).toEqual(expected);
});

const ONE_SUITE = { cipher_suites: ["TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"] };
test.each<[object, ConnectionOptions, string]>([
  [{ min_version: "TLS13" }, { maxVersion: "TLSv1.2" }, "closed"],
  [ONE_SUITE, { maxVersion: "TLSv1.2", ciphers: "ECDHE-ECDSA-AES128-GCM-SHA256" }, "closed"],
  [{ curve_preferences: ["CurveP384"] }, { ecdhCurve: "P-256" }, "closed"],
  [{ curve_preferences: ["CurveP384"] }, { ecdhCurve: "P-384" }, "200"],
])("the handshake by %j for a client with %j: %s", async (section, client, expected) => {
  const server = await startWith(section);
  expect(await connectTls(server.urls()[0], client).ask()).toBe(expected);
});
