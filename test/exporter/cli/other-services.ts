import { createServer as createHttpServer } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import { createServer as createTlsServer } from "node:https";
import { createServer as createTcpServer } from "node:net";
import { getCACertificates, setDefaultCACertificates, type TlsOptions } from "node:tls";
import { onTestFinished } from "vitest";
import { createAuthority } from "../../support/certificates.ts";
import { listenOnLoopback } from "../../support/loopback.ts";
import { startProxy } from "../../support/proxy-server.ts";
import {
  answering,
  type SeenRequest,
  startScriptedServer,
  type Step,
} from "../../support/scripted-server.ts";
import type { CheckCases, Stage } from "./online-stage.ts";

const DAY_MS = 86_400_000;
const authority = createAuthority();
const UNKNOWN_HOST = `${"unknown".repeat(10)}.example`;

/** Another service at the address. Its clock is not known, because the case may be any day. */
const service = (step: Step) => async (): Promise<Stage> => {
  const server = await startScriptedServer((response, request) => {
    response.sendDate = false;
    return step(response, request);
  });
  return { url: `${server.url}/api/v1` };
};
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

const tls = (certificate: TlsOptions) => async (): Promise<Stage> => ({
  url: `https://localhost:${await listen(createTlsServer(certificate, (_, response) => response.end()))}/api/v1`,
});

const text = (status: number, body: string) => always(status, body, { "content-type": "text/plain" });

/** A gateway behind a proxy. */
const proxied =
  (HTTPS_PROXY: () => Promise<string> | string, url = "https://gateway.example/api/v1") =>
  async (): Promise<Stage> => ({ url, environment: { HTTPS_PROXY: await HTTPS_PROXY() } });

/** An AI gateway of another kind: its answer to what it does not know, and to a wrong key. */
const other = (unknown: Step, key?: Step) =>
  service((response, request: SeenRequest) =>
    request.path.endsWith("/key") && key ? key(response, request) : unknown(response, request),
  );

/** What may be wrong on the way to the gateway, and services of other kinds: a title beginning with `#` is a heading. */
export const OTHER_SERVICES: CheckCases = [
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
  ["nginx that wants a client certificate", html(400, "400 No required SSL certificate was sent")],
  [
    "A server of an old version of TLS",
    tls({
      ...authority.issue("localhost"),
      minVersion: "TLSv1",
      maxVersion: "TLSv1.1",
      ciphers: "DEFAULT@SECLEVEL=0",
    }),
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
  ["Cloudflare, which bans this kind of client", text(403, "error code: 1010")],
  ["Cloudflare without its origin", html(521, "openrouter.example | 521: Web server is down")],
  [
    "Cloudflare Access",
    always(302, "", { location: "https://team.cloudflareaccess.com/cdn-cgi/access/login" }),
  ],
  ["CloudFront", html(403, "ERROR: The request could not be satisfied")],
  ["A challenge of AWS WAF", always(202, "", { "x-amzn-waf-action": "challenge" })],
  ["Vercel's bot checkpoint", html(429, "Vercel Security Checkpoint")],
  ["A deployment with Vercel's protection", html(401, "Authentication Required")],
  ["oauth2-proxy", html(403, "Sign In")],
  ["A company's web filter", html(403, "Web Page Blocked", "Category: Artificial Intelligence")],
  ["A company's web filter that answers 200", html(200, "Access Denied", "Blocked by your organization")],
  ["A tunnel of ngrok that is offline", html(404, "ngrok - ERR_NGROK_3200")],
  ["Envoy with a policy", text(403, "RBAC: access denied")],
  ["Envoy without upstream", text(503, "no healthy upstream")],
  ["An ELB without targets", html(503, "503 Service Temporarily Unavailable")],
  ["An ELB without a rule", text(404, "")],
  ["Traefik without a route", text(404, "404 page not found\n")],
  ["AWS API Gateway without this path", always(403, { message: "Missing Authentication Token" })],
  [
    "Azure API Management",
    always(401, {
      statusCode: 401,
      message:
        "Access denied due to missing subscription key. Make sure to include subscription key when making requests to an API.",
    }),
  ],
  ["Kong without a route", always(404, { message: "no Route matched with those values" })],
  ["Kong that wants its own key", always(401, { message: "No API key found in request" })],
  [
    "Kubernetes' API",
    always(401, {
      kind: "Status",
      status: "Failure",
      message: "Unauthorized",
      reason: "Unauthorized",
      code: 401,
    }),
  ],
  ["Grafana", always(404, { message: "Not found", messageId: "", statusCode: 404, traceID: "" })],
  ["Prometheus", text(404, "404 page not found\n")],
  [
    "Elasticsearch",
    always(401, {
      error: {
        root_cause: [{ type: "security_exception", reason: "missing authentication credentials" }],
        type: "security_exception",
        reason: "missing authentication credentials for REST request [/api/v1/key]",
      },
      status: 401,
    }),
  ],
  ["GraphQL", always(400, { errors: [{ message: "Must provide query string." }] })],
  [
    "JSON:API",
    always(404, { errors: [{ status: "404", title: "Not found", detail: "No route /api/v1/key" }] }),
  ],
  [
    "A server of gRPC",
    async () => ({
      url: `http://127.0.0.1:${await listen(createHttp2Server())}/api/v1`,
    }),
  ],
  [
    "gRPC-Web",
    always(415, "", { "content-type": "application/grpc", "grpc-status": "3", "grpc-message": "invalid" }),
  ],
  [
    "Spring Boot",
    always(404, { timestamp: "2026-11-18T12:00:00Z", status: 404, error: "Not Found", path: "/api/v1/key" }),
  ],
  [
    "ASP.NET",
    always(401, { type: "https://tools.ietf.org/html/rfc9110", title: "Unauthorized", status: 401 }),
  ],
  ["Express", html(404, "Error", "<pre>Cannot GET /api/v1/key</pre>")],
  ["Keycloak", always(401, { error: "invalid_token", error_description: "Token verification failed" })],
  ["A health check", text(200, "OK")],
  ["An empty answer", always(200, "")],
  ["A list", always(200, [])],
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
  [
    "OpenAI",
    always(404, { error: { message: "Invalid URL (GET /api/v1/key)", type: "invalid_request_error" } }),
  ],
  ["Anthropic", always(404, { type: "error", error: { type: "not_found_error", message: "Not found" } })],
  ["Azure OpenAI", always(404, { error: { code: "404", message: "Resource not found" } })],
  ["LM Studio", always(200, { error: "Unexpected endpoint or method. (GET /api/v1/key)" })],
  [
    "Portkey",
    always(401, { status: "failure", message: "x-portkey-config or x-portkey-provider header is required" }),
  ],
  [
    "An API that answers every error with 200",
    always(200, { error: { code: 401, message: "Invalid token" } }),
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
];

/** The machine trusts the authority of the cases until the test has finished. */
export function trustCaseAuthority(): void {
  const trusted = getCACertificates("default");
  setDefaultCACertificates([...trusted, authority.cert]);
  onTestFinished(() => setDefaultCACertificates(trusted));
}
