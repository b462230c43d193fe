import { describe, expect, test } from "vitest";
import { createCollectorContext } from "../../exporter/collectors/collector-context.ts";
import { collectors } from "../../exporter/collectors/index.ts";
import { queryConfigs } from "../../exporter/config/query-section.ts";
import { Secret } from "../../exporter/config/secret.ts";
import { GatewayError } from "../../exporter/gateway/errors.ts";
import { createGateway } from "../../exporter/gateway/gateway.ts";
import type { Endpoint } from "../../exporter/gateway/port.ts";
import type { Job } from "../../exporter/schedule/job.ts";
import { createPacking } from "../../exporter/metrics/render/block.ts";
import { renderNow } from "../../exporter/metrics/render/exposition.ts";
import { runProbe } from "../../exporter/probes/probe-run.ts";
import { systemClock } from "../../exporter/time/clock.ts";
import { unlimitedPermits } from "../support/gateway-client.ts";
import { longestTurn } from "../support/longest-turn.ts";
import { planted } from "../support/planted-secrets.ts";
import { startRawServer } from "../support/raw-server.ts";
import { testAnalytics, testConfig, testGatewayConfig, testKey } from "../support/test-config.ts";
import { HOSTILE_BODIES } from "./hostile-bodies.ts";

const KiB = 1024;
const MiB = 1024 * KiB;

/** The largest value of `gateway.max_body`. */
const MAX_BODY = 2 * MiB;

/** What the endpoints accept at most: analytics, transcriptions, keys and refusals. */
const SIZES = [MAX_BODY, MiB, 64 * KiB];

/** Nothing from outside may hold the event loop for more than this many times what parsing a body of 2 MiB takes. */
const BAR = 10;

/** A garbage collection or a cold function may fall into any one run. */
const TRIES = 3;

describe(`no answer holds the event loop for ${BAR} times what parsing a body of 2 MiB takes`, () => {
  test.each(Object.entries(HOSTILE_BODIES))("%s", async (_, body) => {
    const turns: Record<string, number> = {};
    for (const size of SIZES) {
      const bytes = Buffer.from(body(size)).subarray(0, size);
      for (const status of [200, 429])
        turns[`${size} ${status}`] = await shortestOfTries(answerOf(status, bytes));
    }
    expect(Object.entries(turns).filter(([, turn]) => turn > BAR)).toEqual([]);
  });

  test.each([1, 7])("a body in chunks of %i", async (size) => {
    const body = `{"data":{"usage":1,"label":"${"x".repeat(MAX_BODY - 40)}"}}`;
    const chunk = `${size.toString(16)}\r\n${"x".repeat(size)}\r\n`;
    const bytes = Buffer.from(
      `${HEAD}transfer-encoding: chunked\r\n\r\n${chunk.repeat(body.length / size)}0\r\n\r\n`,
    );
    expect(await shortestOfTries(bytes)).toBeLessThan(BAR);
  });

  test.each([
    ["informational answers", "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(200_000)],
    ["continuations", "HTTP/1.1 102 Processing\r\n\r\n".repeat(200_000)],
    ["headers without values", `${HEAD}${"a:\r\n".repeat(1_000_000)}`],
    ["many headers", `${HEAD}${"a:b\r\n".repeat(1_000_000)}`],
    ["equal headers", `${HEAD}${"retry-after: 1\r\n".repeat(100_000)}`],
    ["a long chunk extension", `${HEAD}transfer-encoding: chunked\r\n\r\n1;${"x".repeat(MAX_BODY)}`],
    ["trailers", `${HEAD}transfer-encoding: chunked\r\n\r\n0\r\n${"a:b\r\n".repeat(1_000_000)}`],
    [
      "trailers without values",
      `${HEAD}transfer-encoding: chunked\r\n\r\n0\r\n${"a:\r\n".repeat(1_000_000)}`,
    ],
    ["line ends", "\r\n".repeat(1_000_000)],
  ])("%s", async (_, text) => {
    expect(await shortestOfTries(Buffer.from(text))).toBeLessThan(BAR);
  });
});

const HEAD = "HTTP/1.1 200 OK\r\n";

function answerOf(status: number, body: Buffer): Buffer {
  const head = `HTTP/1.1 ${status} X\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

/** The longest turn of the event loop while everything is polled once, in the best of several tries. */
async function shortestOfTries(answer: Buffer): Promise<number> {
  const url = await startRawServer((socket) => socket.end(answer));
  const turns: number[] = [];
  for (let tries = 0; tries < TRIES && (turns.at(-1) ?? BAR) >= BAR; tries++) {
    turns.push(await longestTurn(() => pollAll(url)));
  }
  return Math.min(...turns);
}

/** Known secrets, whose fragments are searched in each text. */
const SECRETS = [
  "sk-or-v1-0123456789abcdef0123456789abcdef",
  ...Array.from({ length: 100 }, (_, index) => planted(`stall ${index}`)),
].map((text) => new Secret(text));
const KEY = testKey("key", { showLabel: true });
const CONFIG = testConfig({
  keys: [KEY],
  analytics: testAnalytics({ top: 1000, rates: true, queries: queryConfigs(undefined) }),
  discovery: { workspaces: [undefined], include: [/.*a$/u], exclude: [/^-/u], owner: /^(?<team>[a-z]+)-/u },
});
const NEVER = new AbortController().signal;

/** Polls a key, the analytics and a probe, with everything that follows: samples, exposition, word error rate. */
async function pollAll(url: string): Promise<void> {
  const config = testGatewayConfig({
    baseUrl: url,
    maxBodyBytes: MAX_BODY,
    timeoutMs: 2000,
    deadlineMs: 2000,
  });
  const gateway = createGateway(config, {
    clock: systemClock,
    version: "1",
    random: () => 0,
    onAnswer: () => {},
  });
  const clientOf = (endpoint: Endpoint) =>
    gateway.clientFor({ endpoint, name: "it", permits: unlimitedPermits(), signal: NEVER });
  for (const collector of collectors) {
    const headers = collector.families.map((family) => ({ family, help: family.help }));
    for (const job of distinct(collector.jobs(CONFIG, createCollectorContext()))) {
      const result = await job.run(clientOf(job.endpoint), Date.now()).catch(unlessGatewayError);
      if (result) renderNow(headers, [createPacking().pack(result.samples)]);
    }
  }
  // They are known as long as they exist.
  expect(SECRETS).toHaveLength(101);
  await runProbe(PROBE, clientOf("transcription"), systemClock);
  await gateway.close();
}

/** Jobs that differ in their window only cost the same. */
function distinct(jobs: readonly Job[]): readonly Job[] {
  return [...new Map(jobs.map((job) => [job.name.replace(/day|week|month/, ""), job])).values()];
}

function unlessGatewayError(error: unknown): undefined {
  if (!(error instanceof GatewayError)) throw error;
}

const PROBE = {
  name: "probe",
  key: "key",
  secret: KEY.secret,
  model: "a/b",
  audio: {
    origin: "test",
    format: "mp3",
    read: () => Promise.resolve({ bytes: new Uint8Array(1), fault: undefined }),
  },
  expectedText: "one two three",
  maxWordErrorRate: 0.5,
  expectedLanguage: "en",
  responseFormat: "json",
  upload: "json",
  schedule: { kind: "interval", ms: 60_000 },
  timeoutMs: 2000,
} as const;
