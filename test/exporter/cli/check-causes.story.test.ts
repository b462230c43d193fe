import { createServer as createHttpServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { createServer as createTcpServer } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { onTestFinished, test, expect } from "vitest";
import { CAUSES } from "../../../exporter/gateway/causes.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { createAuthority } from "../../support/certificates.ts";
import { listenOnLoopback } from "../../support/loopback.ts";
import { startProxy } from "../../support/proxy-server.ts";
import {
  answering,
  type SeenRequest,
  startScriptedServer,
  type Step,
} from "../../support/scripted-server.ts";
import { checkOnline, NOON, queries, type Stage, WORKSPACE } from "./online-stage.ts";

const DAY_MS = 86_400_000;
const authority = createAuthority();
const UNKNOWN_HOST = `${"unknown".repeat(10)}.example`;

/** Another service at the address. */
const service = (step: Step) => async (): Promise<Stage> => ({
  url: `${(await startScriptedServer(step)).url}/api/v1`,
});
const always = (status: number, body: unknown, headers?: Readonly<Record<string, string>>) =>
  service(answering(status, body, headers));
const html = (status: number, title: string, rest = "") =>
  always(status, `<!DOCTYPE html>\n<html><head><title>${title}</title></head><body>${rest}</body></html>`, {
    "content-type": "text/html",
  });

async function listen(server: Parameters<typeof listenOnLoopback>[0]): Promise<number> {
  const { port, stop } = await listenOnLoopback(server);
  onTestFinished(stop);
  return port;
}

const tls = (certificate: Readonly<Record<"cert" | "key", string>>) => async (): Promise<Stage> => ({
  url: `https://localhost:${await listen(createTlsServer(certificate, (_, response) => response.end()))}/api/v1`,
});

/** A gateway behind a proxy. */
const proxied =
  (HTTPS_PROXY: () => Promise<string> | string, url = "https://gateway.example/api/v1") =>
  async (): Promise<Stage> => ({ url, environment: { HTTPS_PROXY: await HTTPS_PROXY() } });

/** The gateway itself, with one thing wrong. */
const gateway = (stage: Stage | ((gateway: Gateway) => void)) => (): Stage =>
  typeof stage === "function" ? { prepare: stage } : stage;
const refusing = (status: number, fault: object) =>
  gateway(
    ({ faults }) => void faults.add({ kind: "status", status, endpoint: "key", key: "billing", ...fault }),
  );
const limit = (source: string, message: string) => ({ message, metadata: { limit_source: source } });

/** An AI gateway of another kind: its answer to what it does not know, and to a wrong key. */
const other = (unknown: Step, key?: Step) =>
  service((response, request: SeenRequest) =>
    request.path.endsWith("/key") && key ? key(response, request) : unknown(response, request),
  );

const CASES: readonly (readonly [title: string, stage?: () => Promise<Stage> | Stage])[] = [
  ["Everything works", gateway({})],
  ["# Address"],
  ["Nothing listens", () => ({ url: "http://127.0.0.1:1/api/v1" })],
  ["An unknown host", () => ({ url: `https://${UNKNOWN_HOST}/api/v1` })],
  [
    "The connection is closed at once",
    async () => ({
      url: `http://127.0.0.1:${await listen(createTcpServer((socket) => socket.destroy()))}/api/v1`,
    }),
  ],
  [
    "An SSH server",
    async () => ({
      url: `http://127.0.0.1:${await listen(createTcpServer((socket) => socket.resume().end("SSH-2.0-OpenSSH_9.6\r\n")))}/api/v1`,
    }),
  ],
  [
    "https at a port that speaks http",
    async () => ({
      url: `https://127.0.0.1:${await listen(createHttpServer())}/api/v1`,
    }),
  ],
  [
    "http at a port of nginx that speaks https",
    html(400, "400 The plain HTTP request was sent to HTTPS port"),
  ],
  ["A self-signed certificate", tls(createAuthority("itself"))],
  ["A certificate of an unknown authority", tls(createAuthority("nobody").issue("localhost"))],
  ["An expired certificate", tls(authority.issueAt(Date.now() - 9 * DAY_MS, "localhost"))],
  [
    "A certificate of next week, or a slow clock",
    tls(authority.issueAt(Date.now() + 9 * DAY_MS, "localhost")),
  ],
  ["The certificate of another host", tls(authority.issue("other.example"))],
  ["# Proxy"],
  ["Nothing listens at the proxy", proxied(() => "http://127.0.0.1:1")],
  ["The host of the proxy is unknown", proxied(() => `http://${UNKNOWN_HOST}:3128`)],
  ["The proxy wants a password", proxied(async () => (await startProxy({ port: 1, login: "a:b" })).url)],
  [
    "The proxy does not allow the host",
    proxied(async () => (await startProxy({ port: 1, refusal: 403 })).url),
  ],
  [
    "The proxy does not reach the gateway",
    proxied(async () => (await startProxy({ port: 1, refusal: 502 })).url),
  ],
  ["# Something else answers"],
  ["nginx, as installed", html(200, "Welcome to nginx!")],
  ["nginx without this path", html(404, "404 Not Found")],
  ["nginx with a password", html(401, "401 Authorization Required")],
  ["nginx before a gateway that is down", html(502, "502 Bad Gateway")],
  ["A single-page application", html(200, "OpenRouter", '<div id="root"></div>')],
  ["A captive portal", html(200, "Sign in to Hotel Wi-Fi")],
  ["A redirect to a login page", always(302, "", { location: "https://login.example/" })],
  ["A redirect to https", always(308, "", { location: "https://gateway.example/api/v1/key" })],
  [
    "S3",
    always(
      403,
      '<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>',
      {
        "content-type": "application/xml",
      },
    ),
  ],
  ["An edge that refuses Node clients, in HTML", html(403, "Just a moment...")],
  ["An edge that refuses Node clients, in JSON", always(403, { message: "Forbidden" })],
  ["An edge with too many requests", html(429, "429 Too Many Requests")],
  ["Half of a JSON answer", always(200, '{"data": {"limit": 10, "usage": 1')],
  ["JSON of another form", always(200, { status: "ok" })],
  [
    "A larger answer than gateway.max_body",
    async () => ({
      ...(await always(200, { data: "x".repeat(2000) })()),
      gateway: { max_body: "1KiB" },
    }),
  ],
  ["# Other AI gateways"],
  [
    "LiteLLM",
    other(
      answering(404, { detail: "Not Found" }),
      answering(401, {
        error: { message: "Authentication Error, Invalid proxy server token passed", code: "401" },
      }),
    ),
  ],
  ["Vercel AI Gateway", always(404, { error: { message: "Not Found", type: "not_found_error" } })],
  [
    "New API",
    always(404, { error: { message: "Invalid URL (GET /api/v1/key)", type: "invalid_request_error" } }),
  ],
  ["New API, with success", always(200, { success: false, message: "Unauthorized, invalid access token" })],
  ["Ollama", always(404, "404 page not found", { "content-type": "text/plain" })],
  ["FastAPI", always(404, { detail: "Not Found" })],
  [
    "RFC 9457",
    always(404, { type: "about:blank", title: "Not Found", status: 404, detail: "No resource /api/v1/key" }),
  ],
  ["A nested message", always(500, { error: { error: { message: "Database is locked" } } })],
  [
    "A message with success: false",
    always(503, { success: false, error: { message: "Service in maintenance" } }),
  ],
  ["An error that is a text", always(400, { error: "invalid host header" })],
  ["# Keys"],
  ["A wrong secret", gateway({ tokens: new Map([["billing", "sk-wrong"]]) })],
  [
    "Every secret is of another service",
    gateway({
      tokens: new Map([
        ["billing", "sk-wrong-1"],
        ["search", "sk-wrong-2"],
      ]),
      managementKey: "sk-wrong-3",
    }),
  ],
  [
    "A disabled key, which the list shows",
    gateway((one) => void one.addKey({ name: "off", disabled: true })),
  ],
  ["An expired key", gateway((one) => void one.addKey({ name: "old", expiresAt: NOON - 1 }))],
  ["An ordinary key as management key", gateway({ managementKey: "ordinary" })],
  ["An unknown management key", gateway({ managementKey: "sk-wrong" })],
  ["A management key among the keys", gateway((one) => void one.addKey({ name: "root", management: true }))],
  [
    "A management key, which may not read its usage",
    refusing(403, { message: "A management key cannot do this" }),
  ],
  ["A key may not read its usage", refusing(403, { message: "Not permitted" })],
  [
    "A key of another account",
    gateway(({ faults }) => {
      const row = { hash: "0".repeat(64), name: "theirs", label: "", disabled: false, limit: null, usage: 0 };
      faults.add({
        kind: "body",
        endpoint: "keys",
        parameter: "offset=0",
        body: JSON.stringify({ data: [row] }),
      });
    }),
  ],
  [
    "The key's own limit is used up, 403",
    refusing(403, limit("openrouter_key_limit", "Key limit exceeded (monthly limit)")),
  ],
  [
    "The key's own limit is used up, 402 in words",
    refusing(402, { message: "This key has exceeded its limit" }),
  ],
  [
    "A guardrail's budget is used up",
    refusing(403, limit("openrouter_guardrail_budget", "Guardrail budget exceeded")),
  ],
  ["A workspace's budget is used up", refusing(403, limit("openrouter_workspace_budget", "Budget exceeded"))],
  ["Too much in flight", refusing(402, limit("openrouter_in_flight_budget", "Too many requests in flight"))],
  ["The account is empty", refusing(402, limit("openrouter_credits", "Insufficient credits"))],
  [
    "LiteLLM's budget, 400",
    refusing(400, { message: "Budget has been exceeded! Current cost: 3, Max budget: 2" }),
  ],
  ["# Requests"],
  ["The keys are rate-limited", refusing(429, { message: "Rate limit exceeded", retryAfterSeconds: 1 })],
  [
    "The analytics are rate-limited",
    gateway(
      ({ faults }) =>
        void faults.add({ kind: "status", status: 429, endpoint: "analytics", message: "Slow down" }),
    ),
  ],
  [
    "The gateway is failing",
    gateway(({ faults }) => void faults.add({ kind: "status", status: 503, message: "Down" })),
  ],
  [
    "One request is slow",
    gateway(
      ({ faults }) => void faults.add({ kind: "status", status: 408, endpoint: "meta", message: "Too slow" }),
    ),
  ],
  [
    "One request is not permitted",
    gateway(
      ({ faults }) =>
        void faults.add({ kind: "status", status: 403, endpoint: "credits", message: "Not in your plan" }),
    ),
  ],
  [
    "There is no list of keys, nor credits",
    gateway({ options: { switches: { missingOperations: ["keys", "credits", "meta"] } } }),
  ],
  [
    "A workspace that was deleted",
    gateway({
      content: { discovery: { workspaces: [WORKSPACE] } },
      prepare: ({ faults }) =>
        void faults.add({
          kind: "status",
          status: 404,
          endpoint: "keys",
          parameter: `workspace_id=${WORKSPACE}`,
          message: "No such workspace",
        }),
    }),
  ],
  ["A query with a misspelt dimension", gateway({ content: queries({ dimensions: ["modle"] }) })],
  [
    "A query that reaches too far",
    gateway({ options: { switches: { reachDays: 20 } }, content: queries({}) }),
  ],
  ["# Figures that would be missing"],
  [
    "A budget for a model that does not exist",
    gateway({
      content: { budgets: [{ name: "chat", limit: 5, window: "month", model: "acme/oen" }] },
      prepare: (one) =>
        void one.spend({
          key: "billing",
          model: "acme/one",
          app: "Desk",
          micros: 1_000_000,
          at: NOON - 30 * DAY_MS,
        }),
    }),
  ],
  ["More series than series_limit", gateway({ content: { series_limit: 1 } })],
];

/** The page of every case: read it as somebody who does not know the product. */
test("check --online says what is wrong and what to do, for each service that may answer", async () => {
  const trusted = getCACertificates("default");
  setDefaultCACertificates([...trusted, authority.cert]);
  onTestFinished(() => setDefaultCACertificates(trusted));
  const sections: string[] = [];
  for (const [title, stage] of CASES) {
    if (!stage) {
      sections.push(`#${title}\n`);
      continue;
    }
    const { code, findings } = await checkOnline(await stage());
    const lines = findings.map((line) =>
      line.replaceAll(/127\.0\.0\.1:(?!1\b)\d+/g, "127.0.0.1:PORT").replace("UND_ERR_SOCKET", "ECONNRESET"),
    );
    sections.push(`### ${title}\n${[...lines, `exit code ${code}`].map((line) => `- ${line}`).join("\n")}\n`);
  }
  const page = `# What \`check --online\` says\n\n${sections.join("\n")}`;
  await expect(page).toMatchFileSnapshot("../../golden/check-online.md");
  const untold = CAUSES.filter(({ means }) => !page.includes(means)).map(({ name }) => name);
  // They need a file that vanishes, a network that is down, or an ancient server.
  expect(untold).toEqual(["secret_unreadable", "dns_down", "unreachable", "tls"]);
}, 180_000);
