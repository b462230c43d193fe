import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { createLog, LOG_FORMATS, LOG_LEVELS } from "../../exporter/log.ts";
import type { Fault } from "../gateway/faults.ts";
import { createGateway, type Gateway } from "../gateway/gateway.ts";
import { createManualClock } from "../support/clock.ts";
import { type ExporterFiles, writeExporterFiles } from "../support/exporter-files.ts";
import { runExporter } from "../support/exporter-process.ts";
import { leaksOf, planted } from "../support/planted-secrets.ts";
import { startAppFrom } from "../support/test-app.ts";

const START = Date.parse("2026-11-18T12:00:00Z");

/** The ways in which a service may echo the key of a request: in refusals, errors and any field of an answer. */
const FAULTS: Readonly<Record<string, (token: string) => Fault>> = {
  good: () => ({ kind: "slow", delayMs: 0 }),
  "refused-401": (token) => ({
    kind: "status",
    status: 401,
    message: `Incorrect API key provided: ${token}`,
  }),
  "refused-402": (token) => ({ kind: "status", status: 402, message: `Bearer ${token} has no credits` }),
  "refused-403": (token) => ({ kind: "status", status: 403, message: token }),
  "refused-404": (token) => ({
    kind: "status",
    status: 404,
    body: `{"error":{"message":"no ${token}, ${token}"}}`,
  }),
  "limited-429": (token) => ({
    kind: "status",
    status: 429,
    message: `Too many requests of ${token}`,
    headers: { "Retry-After": token },
  }),
  "broken-500": (token) => ({ kind: "status", status: 500, message: "x".repeat(150) + token }),
  "broken-503": (token) => ({
    kind: "status",
    status: 503,
    metadata: { key: token, headers: { reset: token } },
  }),
  "html-body": (token) => ({ kind: "body", status: 502, contentType: "text/html", body: `<b>${token}</b>` }),
  "text-body": (token) => ({ kind: "body", body: `Hello ${token}` }),
  "wrong-type": (token) => ({ kind: "fields", set: { "data.usage": token, "data.limit": [token] } }),
  "wrong-reset": (token) => ({
    kind: "fields",
    set: { "data.limit_reset": token, "data.expires_at": token },
  }),
  "key-in-label": (token) => ({ kind: "fields", set: { "data.label": `Key ${token} of billing` } }),
  "key-in-unknown-field": (token) => ({
    kind: "fields",
    set: { "data.token": token, [`data.${token}`]: token },
  }),
  "redirect-to": (token) => ({ kind: "redirect", location: `http://127.0.0.1:9/?key=${token}` }),
  "cut-off": () => ({ kind: "cut" }),
  "reset-at-once": () => ({ kind: "reset" }),
  "too-late": () => ({ kind: "slow", delayMs: 3_600_000 }),
};

/** The same for the management key, in sequence. */
const ANALYTICS_FAULTS: readonly ((token: string) => Fault)[] = [
  (token) => ({ kind: "status", status: 403, message: `${token} is no management key` }),
  (token) => ({ kind: "fields", set: { "data.warnings": [`Cannot resolve ${token}`] } }),
  (token) => ({ kind: "fields", set: { "data.metadata": token } }),
  (token) => ({
    kind: "body",
    body: `{"data":{"data":[{"model":"${token}","app":"${token}"}],"metadata":{}}}`,
  }),
  (token) => ({ kind: "body", body: analyticsBody({ model: `m ${token}`, app: token, total_usage: 3 }) }),
  (token) => ({ kind: "body", body: analyticsBody({ model: "m", app: "a", total_usage: token }) }),
];

const SECRETS = new Map(Object.keys(FAULTS).map((name) => [name, planted(name)]));
const MANAGEMENT = planted("management");

let gateway: Gateway;
let files: ExporterFiles;

beforeAll(async () => {
  gateway = createGateway({ now: () => START, startAt: START });
  for (const [name, token] of SECRETS) {
    gateway.addKey({ name, token });
    gateway.spend({ key: name, model: "acme/one", app: "Chat", micros: 1_000_000, at: START - 1000 });
  }
  gateway.addKey({ name: "boss", token: MANAGEMENT, management: true });
  await gateway.start();
  for (const [name, fault] of Object.entries(FAULTS)) {
    gateway.faults.add({ ...fault(planted(name)), key: name, endpoint: "key" });
  }
  files = writeExporterFiles({
    gatewayUrl: gateway.url,
    tokens: SECRETS,
    managementToken: MANAGEMENT,
    content: {
      gateway: { base_url: gateway.url, requests_per_minute: 0, timeout: "500ms", deadline: "600ms" },
      schedule: { keys: "150s", analytics: "30s" },
      // Even where the service's label (a fragment of the key) is shown, the key itself must not be.
      keys: [...SECRETS.keys()].map((name, index) => ({
        name,
        api_key_env: `KEY_${index}`,
        show_label: index % 2 === 0,
      })),
    },
  });
});

afterAll(async () => {
  await gateway.stop();
  files.remove();
});

describe.each(LOG_FORMATS)("a key that the service echoes, with %s as log format", (format) => {
  test.each(LOG_LEVELS)(
    "at level %s is not in the log, the metrics, the page or any response",
    async (level) => {
      const lines: string[] = [];
      const log = createLog(level, format, { write: (line) => lines.push(line) });
      const clock = createManualClock(START);
      const app = await startAppFrom(files, clock, log);
      const outputs: string[] = [];
      for (const [round, fault] of ANALYTICS_FAULTS.entries()) {
        const added = gateway.faults.add({ ...fault(MANAGEMENT), endpoint: "analytics" });
        await clock.runTo(START + (round + 1) * 45_000);
        added.clear();
        for (const path of PATHS) outputs.push(await text(app.url + path));
        outputs.push(await text(`${app.url}/metrics`, "application/openmetrics-text; version=1.0.0"));
      }
      await app.stop();
      const [page, logged] = [outputs.join("\n"), lines.join("")];
      expect(leaks(page)).toEqual([]);
      expect(leaks(logged)).toEqual([]);
      // The outputs are the right ones: they show every key and every reason.
      expect([...SECRETS.keys()].filter((name) => !page.includes(`key="${name}"`))).toEqual([]);
      expect(page).toMatch(/poll_failures_total\{collector="key",reason="bad_response"\} [1-9]/);
      expect(page).toMatch(/poll_failures_total\{collector="analytics",reason="forbidden"\} [1-9]/);
      expect(logged).toContain("gateway answered 401");
    },
  );
});

describe("a secret stays out of", () => {
  test("the output and the log of --once", async () => {
    const fault = gateway.faults.add({
      kind: "status",
      status: 401,
      message: `Unknown ${MANAGEMENT}`,
      endpoint: "analytics",
    });
    const flags = ["--once", "--log.level=debug", `--config.file=${files.configFile}`];
    const { code, stdout, stderr } = await runExporter(flags, files.environment);
    fault.clear();
    expect(code).toBe(0);
    expect(leaks(stdout + stderr)).toEqual([]);
    expect(stderr).toContain("gateway answered 401");
    expect(stdout).toContain("aigateway_key_usage_credits");
  });

  const secret = planted("good");

  test.each([
    [
      "written in place of its reference",
      { keys: [{ name: "a", api_key: secret }], analytics: { token: secret } },
    ],
    ["as the name of a variable", { keys: [{ name: "a", api_key_env: secret }] }],
    ["as the path of a file", { keys: [{ name: "a", api_key_file: secret }] }],
    ["as the name of a key", { keys: [{ name: secret, api_key_env: "KEY_0" }] }],
    ["as a field", { [secret]: true, gateway: { base_url: "https://gateway.example", [secret]: 1 } }],
    ["in the URL", { gateway: { base_url: `https://me:${secret}@gateway.example/?key=${secret}` } }],
    ["where a mapping or a list must be", { keys: secret, analytics: secret, schedule: secret }],
    [
      "where a number or a time must be",
      { series_limit: secret, schedule: { keys: secret, analytics: secret } },
    ],
    ["in unreadable YAML", `keys:\n  - { name: a, api_key: "${secret}\n`],
    ["in YAML with a field twice", `${secret}: 1\n${secret}: 2\nkeys: [ *${secret} ]\n`],
    ["in a file with a second line", { keys: [{ name: "a", api_key_file: "two-lines" }] }],
    ["in a variable with white space", { keys: [{ name: "a", api_key_env: "PADDED" }] }],
    ["that two keys share", { keys: ["a", "b"].map((name) => ({ name, api_key_env: "KEY_0" })) }],
  ])("the output of check when it is %s", async (_name, content) => {
    const file = join(files.directory, "bad.yaml");
    writeFileSync(join(files.directory, "two-lines"), `${secret}\n${secret}\n`);
    const base = { gateway: { base_url: gateway.url }, ...(typeof content === "string" ? {} : content) };
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(base));
    const environment = { ...files.environment, PADDED: ` ${secret} ` };
    const { stdout, stderr } = await runExporter(["check", `--config.file=${file}`], environment);
    expect(leaks(stdout + stderr)).toEqual([]);
    expect(stderr).toContain("bad.yaml");
  });
});

const PATHS = [
  "/metrics",
  "/",
  "/api/v1/status",
  "/-/ready",
  "/-/healthy",
  `/${planted("good")}`,
  "/-/reload",
] as const;

async function text(url: string, accept = "text/plain"): Promise<string> {
  const response = await fetch(url, { headers: { accept } });
  return `${JSON.stringify([...response.headers])}\n${await response.text()}`;
}

function analyticsBody(row: Readonly<Record<string, unknown>>): string {
  const metadata = { query_time_ms: 1, row_count: 1, truncated: false };
  return JSON.stringify({ data: { data: [{ request_count: 1, ...row }], metadata } });
}

function leaks(output: string): readonly string[] {
  return leaksOf(output, [...SECRETS, ["management", MANAGEMENT]]);
}
