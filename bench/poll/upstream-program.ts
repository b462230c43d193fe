import { createServer, type ServerResponse } from "node:http";
import { listenOnLoopback } from "../../test/support/loopback.ts";
import { serveParent } from "../child.ts";

/**
 * A gateway that uses as little CPU as possible: it answers all keys alike after a fixed latency. Parameters:
 * the latency in milliseconds, and the number of rows in an analytics answer.
 */
const latencyMs = Number(process.argv[2] ?? 0);
const rowCount = Number(process.argv[3] ?? 0);

let answered = 0;
const server = createServer((request, response) => {
  if (request.method === "GET") {
    later(() => sendJson(response, keyBody(answered++)));
    return;
  }
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const isGrouped = Buffer.concat(chunks).includes('"dimensions"');
    later(() => sendJson(response, isGrouped ? groupedBody : totalBody));
  });
});
// A connection must survive the pause between two rounds.
server.keepAliveTimeout = 120_000;
const { address } = await listenOnLoopback(server);

const groupedBody = analyticsBody(Array.from({ length: rowCount }, (_, index) => row(index)));
const totalBody = analyticsBody([{ ...amounts(rowCount * 3), total_usage: 12_345.678 }]);
serveParent({ url: `http://${address}/api/v1` });

function later(run: () => void): void {
  if (latencyMs === 0) run();
  else setTimeout(run, latencyMs);
}

function sendJson(response: ServerResponse, body: string): void {
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
  response.end(body);
}

/** All fields of the contract (2.7); the spent amount differs in each answer. */
function keyBody(count: number): string {
  const spent = count / 1000;
  return JSON.stringify({
    data: {
      label: "sk-ai-v1-0e6...1c9",
      limit: 100_000,
      limit_reset: "monthly",
      limit_remaining: 100_000 - spent,
      include_byok_in_limit: false,
      usage: spent,
      usage_daily: spent / 4,
      usage_weekly: spent / 2,
      usage_monthly: spent,
      byok_usage: 17.384_62,
      byok_usage_daily: 1.25,
      byok_usage_weekly: 3.75,
      byok_usage_monthly: 17.384_62,
      is_free_tier: false,
      is_management_key: false,
      expires_at: "2030-12-31T23:59:59Z",
      rate_limit: { requests: 1000, interval: "1h", note: "This field is deprecated and safe to ignore." },
    },
  });
}

function row(index: number): object {
  return {
    model: `provider-${index % 17}/model-with-a-name-${index % 97}`,
    app: index % 50 === 0 ? null : `Application ${index}`,
    ...amounts(index),
  };
}

function amounts(index: number): object {
  return {
    total_usage: (index * 7919) / 1e6,
    request_count: index * 3,
    tokens_total: index * 4711,
    tokens_prompt: index * 4000,
    tokens_completion: index * 711,
    reasoning_tokens: index * 17,
  };
}

function analyticsBody(rows: readonly object[]): string {
  return JSON.stringify({
    data: {
      data: rows,
      metadata: { query_time_ms: 87, row_count: rows.length, truncated: false },
      cachedAt: 1_795_000_000_000,
      warnings: [],
    },
  });
}
