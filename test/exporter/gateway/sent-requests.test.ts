import { describe, expect, test } from "vitest";
import { secretSource } from "../../support/test-config.ts";
import type { GatewayClient, TranscriptionRequest, UsageQuestion } from "../../../exporter/gateway/port.ts";
import { createClient } from "../../support/gateway-client.ts";
import { sourceFiles } from "../../support/repository.ts";
import { answering, startScriptedServer, type Step } from "../../support/scripted-server.ts";
import { importsOf, type SourceText, usesOfGlobal } from "../../support/source-file.ts";

/** Every request that the exporter can send. They change nothing, and only the transcription costs credits. */
const SENT = [
  "GET /analytics/meta",
  "GET /credits",
  "GET /key",
  "GET /keys?include_disabled&offset",
  "GET /keys?include_disabled&offset&workspace_id",
  "POST /analytics/query",
  "POST /audio/transcriptions",
];

const SECRET = secretSource("sk-management");
const RANGE = { startMs: Date.UTC(2026, 10, 18), endMs: Date.UTC(2026, 10, 18, 12) };
const QUESTION: UsageQuestion = { range: RANGE, pairs: true, total: true, rates: true };
const FILTER = { dimension: "model", operator: "not_in", values: ["acme/one"], withUnset: true } as const;
const AUDIO: TranscriptionRequest = {
  audio: { bytes: new Uint8Array([1]), format: "mp3" },
  model: "acme/ear",
  responseFormat: "json",
  upload: "json",
};

/** Every operation of the port, with each of its forms. */
const OPERATIONS: Readonly<
  Record<keyof GatewayClient, readonly ((client: GatewayClient) => Promise<unknown>)[]>
> = {
  currentKey: [(client) => client.currentKey(SECRET)],
  usage: [
    (client) => client.usage(QUESTION, SECRET),
    (client) => client.usage({ ...QUESTION, dimensions: ["user"], filters: [FILTER] }, SECRET),
  ],
  usageSeries: [
    (client) => client.usageSeries({ range: RANGE, granularity: "hour", dimensions: [] }, SECRET),
  ],
  capabilities: [(client) => client.capabilities(SECRET)],
  accountKeys: [
    (client) => client.accountKeys(undefined, SECRET),
    (client) => client.accountKeys("0f5e7d2c-1a3b-4c5d-8e9f-001122334455", SECRET),
  ],
  credits: [(client) => client.credits(SECRET)],
  transcribe: [
    (client) => client.transcribe(AUDIO, SECRET, 1000),
    (client) => client.transcribe({ ...AUDIO, upload: "multipart" }, SECRET, 1000),
  ],
};

/**
 * Answers, and how long a call may take. Calls that would be retried end before the first retry, because the
 * clock does not advance.
 */
const ANSWERS: readonly (readonly [Step, deadlineMs: number])[] = [
  [answering(200, { data: [{ hash: "a".repeat(64) }] }), 10_000],
  [answering(200, { data: { usage: 1, total_credits: 2, total_usage: 1 } }), 10_000],
  [answering(200, "no JSON"), 10_000],
  [answering(307, {}, { location: "/elsewhere" }), 10_000],
  ...[400, 401, 402, 403, 404].map((status) => [answering(status), 10_000] as const),
  ...[408, 429, 500].map((status) => [answering(status), 250] as const),
];

describe("the exporter sends only known requests", () => {
  test("by every operation of the port, whatever the gateway answers", async () => {
    const sent = new Set<string>();
    for (const [answer, deadlineMs] of ANSWERS) {
      const { url, requests } = await startScriptedServer(answer);
      for (const operation of Object.values(OPERATIONS).flat()) {
        const { clientFor } = createClient({ baseUrl: url, deadlineMs, timeoutMs: deadlineMs });
        await operation(clientFor()).catch(() => {});
      }
      for (const { method, path } of requests) sent.add(`${method} ${withoutValues(path)}`);
    }
    expect([...sent].toSorted()).toEqual(SENT);
  });

  test("and has no other operation", () => {
    const { clientFor } = createClient({});
    expect(Object.keys(clientFor()).toSorted()).toEqual(Object.keys(OPERATIONS).toSorted());
  });
});

describe("no other code can send a request", () => {
  const files = sourceFiles(["exporter"]);

  test("because nothing else imports a client, or uses one of the platform", () => {
    expect(files.flatMap(sendersIn)).toEqual([]);
  });

  test("and only the adapter writes methods, all of them in gateway/wire/", () => {
    const methods = files.flatMap(({ path, text }) =>
      [...text.matchAll(/\bmethod: "(\w+)",\s+path: ["`]([^?"`]+)/g)].map(
        ([, method, name]) => [path.startsWith("exporter/gateway/wire/"), `${method} ${name}`] as const,
      ),
    );
    expect(methods.every(([isWire]) => isWire)).toBe(true);
    const known = new Set(SENT.map((each) => each.replace(/\?.*/, "")));
    expect(methods.map(([, request]) => request).toSorted()).toEqual([...known].toSorted());
    const dispatching = files.filter(({ text }) => /\.dispatch\(|\.request\(/.test(text));
    expect(dispatching.map(({ path }) => path)).toEqual([
      "exporter/gateway/connections.ts",
      "exporter/gateway/http.ts",
    ]);
  });

  test("and what reads from Prometheus neither writes there nor knows a secret", () => {
    const { text } = files.find(({ path }) => path === "exporter/backfill/prometheus-api.ts") ?? { text: "" };
    expect([...text.matchAll(/\bfetch\(/g)]).toHaveLength(1);
    expect(text).not.toMatch(/\bmethod\b|\bbody\b|config\/secret/);
  });

  test.each([
    ['import { request } from "node:https";', "https.request"],
    ['import { get as read } from "node:http";', "http"],
    ['import * as net from "node:net";', "net"],
    ['const { Socket } = await import("node:net");', "net"],
    ['import { Pool } from "undici";', "undici"],
    ['import { spawn } from "node:child_process";', "child_process"],
    ['await fetch("https://gateway.example/keys", { method: "DELETE" });', "fetch"],
    ['globalThis.fetch("https://gateway.example");', "fetch"],
    ['new WebSocket("wss://gateway.example");', "WebSocket"],
    ['createRequire(import.meta.url)("node:https");', "createRequire"],
  ])("the search finds %s", (text) => {
    expect(sendersIn({ path: "exporter/status/overview.ts", text })).toHaveLength(1);
  });

  test.each([
    'import type { Socket } from "node:net";',
    'import { isIP } from "node:net";',
    'import { createServer } from "node:tls";',
    'import { createHash } from "node:crypto";',
  ])("the search leaves %s alone", (text) => {
    expect(sendersIn({ path: "exporter/http/server.ts", text })).toEqual([]);
  });
});

/** Modules that can open a connection or start a program, with the names that cannot. */
const MODULES: ReadonlyMap<string, readonly string[]> = new Map([
  ["http", []],
  ["https", []],
  ["http2", []],
  ["net", ["isIP", "isIPv4", "isIPv6", "SocketAddress", "BlockList", "createServer"]],
  ["tls", ["createServer", "createSecureContext", "TLSSocket", "checkServerIdentity", "getCACertificates"]],
  ["dgram", []],
  ["child_process", []],
  ["cluster", []],
  ["undici", []],
]);

const MENTION = new RegExp(`["'](?:node:)?(?:${[...MODULES.keys()].join("|")})["'/]`);

/**
 * What could send a request, by file. The exceptions: the adapter's connections, the server, which needs node:http, and
 * what reads from the Prometheus that `backfill --url` names.
 */
function sendersIn(file: SourceText): readonly string[] {
  // Parsing takes long.
  const imports = (MENTION.test(file.text) ? importsOf(file) : [])
    .filter(({ erased }) => !erased)
    .filter(({ specifier, values }) => {
      const harmless = MODULES.get(specifier.replace(/^node:/, "").split("/")[0] ?? "");
      return (
        harmless !== undefined && !(values.length > 0 && values.every((name) => harmless.includes(name)))
      );
    })
    .filter(() => file.path !== "exporter/gateway/connections.ts")
    .map(({ specifier, line }) => `${file.path}:${line} imports "${specifier}"`);
  const globals = ["fetch", "WebSocket", "EventSource", "XMLHttpRequest", "createRequire"]
    .filter((name) => !(name === "createRequire" && file.path === "exporter/http/server.ts"))
    .filter((name) => !(name === "fetch" && file.path === "exporter/backfill/prometheus-api.ts"))
    .filter((name) => file.text.includes(name))
    .flatMap((name) => usesOfGlobal(file, name).map((line) => `${file.path}:${line} uses ${name}`));
  return [...imports, ...globals];
}

/** `/keys?offset=0` as `/keys?offset`. */
function withoutValues(path: string): string {
  const [name, query] = path.split("?");
  if (query === undefined) return path;
  return `${name}?${[...new URLSearchParams(query).keys()].toSorted().join("&")}`;
}
