import { describe, expect, test } from "vitest";
import { secretSource } from "../../support/test-config.ts";
import type { GatewayClient, TranscriptionRequest, UsageQuestion } from "../../../exporter/gateway/port.ts";
import { createClient } from "../../support/gateway-client.ts";
import { answering, startScriptedServer, type Step } from "../../support/scripted-server.ts";

/** Every request that the exporter can send. They change nothing, and only the transcription costs credits. */
const SENT = [
  "GET /analytics/meta",
  "GET /credits",
  "GET /key",
  "GET /keys?include_disabled&include_expired&offset",
  "GET /keys?include_disabled&include_expired&offset&workspace_id",
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

/** `/keys?offset=0` as `/keys?offset`. */
function withoutValues(path: string): string {
  const [name, query] = path.split("?");
  if (query === undefined) return path;
  return `${name}?${[...new URLSearchParams(query).keys()].toSorted().join("&")}`;
}
