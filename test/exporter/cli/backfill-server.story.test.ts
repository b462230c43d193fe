import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { listenOnLoopback } from "../../support/loopback.ts";
import { HOUR, NOON, setUp, TODAY } from "./backfill-stage.ts";

const PATIENCE = { timeout: 180_000 };

interface Answers {
  readonly version?: string;
  readonly retention?: string;
  /** When the series begin, epoch milliseconds. */
  readonly firstMs?: number;
  /** Other targets with such series. */
  readonly targets?: readonly Readonly<Record<string, string>>[];
  /** The server's own metrics, of VictoriaMetrics. */
  readonly metrics?: string;
  /** A status and a text for everything instead. */
  readonly status?: number;
  readonly text?: string;
}

/** Answers like a Prometheus. The real one is asked in test/e2e. */
async function startServer(answers: Answers) {
  const seen: { path: string; query: string; authorization: string | undefined }[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
    const query = searchParams.get("query") ?? "";
    seen.push({ path: pathname, query, authorization: request.headers.authorization });
    const { status, text } = answerOf(answers, pathname, searchParams);
    response.writeHead(status).end(text);
  });
  const { address, stop } = await listenOnLoopback(server);
  onTestFinished(stop);
  return { url: `http://${address}`, address, seen };
}

function answerOf({ status, text, ...answers }: Answers, path: string, parameters: URLSearchParams) {
  if (status !== undefined || text !== undefined) return { status: status ?? 200, text: text ?? "" };
  if (path === "/metrics") return { status: 200, text: answers.metrics ?? "" };
  const { version = "3.15.0", retention = "60d", firstMs, targets = [] } = answers;
  const isFirst = parameters.get("query")?.startsWith("min(") ?? false;
  const time = isFirst ? [{ metric: {}, value: [0, String((firstMs ?? 0) / 1000)] }] : [];
  const data: Readonly<Record<string, object>> = {
    "/api/v1/status/buildinfo": { version },
    "/api/v1/status/runtimeinfo": { storageRetention: retention },
    "/api/v1/query_range": { result: rangeOf(firstMs, parameters) },
    "/api/v1/query": {
      result: [...time, ...targets.map((metric) => ({ metric, value: [0, "1"] }))],
    },
  };
  return { status: 200, text: JSON.stringify({ status: "success", data: data[path] }) };
}

/** The first time of the grid that is not before the first sample. */
function rangeOf(firstMs: number | undefined, parameters: URLSearchParams) {
  const [start = 0, end = 0, step = 1] = ["start", "end", "step"].map((name) => Number(parameters.get(name)));
  const at = start + Math.max(0, Math.ceil(((firstMs ?? Infinity) / 1000 - start) / step)) * step;
  return at <= end ? [{ metric: {}, values: [[at, "1"]] }] : [];
}

describe("backfill --url", PATIENCE, () => {
  test("ends where the series of the server begin", async () => {
    const { url, seen } = await startServer({ firstMs: TODAY + 8.5 * HOUR + 250 });
    const { write, text } = await setUp();
    const { code, stdout, stderr } = await write({ days: 1 }, false, url.replace("//", "//reader:word@"));
    expect(stdout).toContain(`import.sh DATA_FOLDER ${url}\n`);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(
        /^Prometheus 3\.15\.0 keeps 60d\. These series begin at 2026-11-18T08:30:00\.250Z\.\nasks at least 10 questions, which takes about 1 min\n(?:asked .*\n)*wrote 2026-11-18\.om, .*\n$/,
      ),
    ]);
    expect(text("2026-11-18")).toContain(` ${(TODAY + 8.5 * HOUR) / 1000 - 1}\n`);
    expect(text("2026-11-18")).not.toContain(` ${(TODAY + 9 * HOUR) / 1000}\n`);
    expect(seen.find(({ path }) => path.endsWith("query_range"))?.query).toBe(
      'sum(count_over_time({__name__=~"aigateway_key_usage_credits|aigateway_usage_day_credits",job="aigateway-exporter",instance="exporter:9853",gateway=""}[1d]))',
    );
  });

  test.each<readonly [string, Answers, string]>([
    [
      "a short retention and a size",
      { retention: "2w or 10GiB" },
      "keeps 2w or 10GiB and would delete what is older at once: set --storage.tsdb.retention.time=32d or more before the import",
    ],
    [
      "a size",
      { retention: "10GiB" },
      "keeps 10GiB. It does not have these series yet.\nwarning: Prometheus 3.15.0 deletes the oldest blocks beyond a size (10GiB): the past must fit into it\n",
    ],
    [
      "a retention that is not reported",
      { retention: "" },
      "does not report how long it keeps samples: it must be 32d",
    ],
    ["an old version", { version: "2.37.1" }, "Prometheus 2.37.1 is older than 2.42, the oldest version"],
    [
      "other labels of the target",
      { targets: [{ job: "aigateway-exporter", instance: "10.0.0.7:9853" }] },
      '{job="aigateway-exporter",instance="10.0.0.7:9853"}, and none has {job="aigateway-exporter",instance="exporter:9853"}: set --job, --instance and --gateway to the labels of the live series',
    ],
  ])("warns of %s", async (_name, answers, warning) => {
    const { url } = await startServer(answers);
    const { write } = await setUp();
    const { code, stderr } = await write({ days: 31 }, true, url);
    expect([code, stderr]).toEqual([0, expect.stringContaining(warning)]);
    expect(stderr.match(/^warning: /gm)).toHaveLength(answers.retention?.includes(" or ") ? 2 : 1);
  });

  test("refuses an end after the beginning of the live series", async () => {
    const { url } = await startServer({ firstMs: TODAY + 8 * HOUR });
    const { write, folder } = await setUp();
    const { code, stderr } = await write({ untilMs: TODAY + 9 * HOUR }, false, url);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(
        "Cannot backfill: the server has these series since 2026-11-18T08:00:00Z, and 2026-11-18T09:00:00Z (--until) is after that: leave --until out\n",
      ),
    ]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("continues an interrupted backfill where it began to end, and warns of the gap", async () => {
    const without = await startServer({});
    const { write, gateway, text } = await setUp();
    // The first question finds out how far back the gateway remembers.
    gateway.faults.add({ endpoint: "analytics", skip: 1, kind: "status", status: 500 });
    expect(await write({ days: 1, untilMs: undefined }, false, without.url)).toMatchObject({ code: 1 });
    gateway.faults.clear();
    // For the gateway it stays noon, so the exporter started in the afternoon.
    const { url } = await startServer({ firstMs: NOON + 7 * HOUR });
    const { code, stderr } = await write({ days: 1 }, false, url);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(
        "the live series begin at 2026-11-18T19:00:00Z, and the past ends at 2026-11-18T12:00:00Z: there are no samples in between",
      ),
    ]);
    expect(text("2026-11-18")).toContain(` ${NOON / 1000 - 1}\n`);
  });

  test("sends user and password, and never shows them", async () => {
    const { address, seen } = await startServer({ status: 401, text: "Unauthorized" });
    const { write } = await setUp();
    const { code, stderr } = await write({}, false, `http://reader:pass%20word@${address}/prometheus`);
    expect([code, stderr]).toEqual([
      1,
      `Cannot backfill: http://${address}/prometheus/api/v1/status/buildinfo: the server answered 401 (--url)\n`,
    ]);
    expect(seen.map(({ authorization }) => authorization)).toEqual([
      `Basic ${Buffer.from("reader:pass word").toString("base64")}`,
    ]);
  });

  test.each<readonly [string, Answers, string]>([
    [
      "an agent",
      { status: 422, text: '{"status":"error","error":"unavailable with\\n Prometheus Agent"}' },
      "the server answered 422: unavailable with Prometheus Agent (--url)\n",
    ],
    [
      "another server",
      { text: "<html>" },
      "/api/v1/status/buildinfo: the answer is not one of Prometheus (--url)\n",
    ],
  ])("%s is an error, and nothing is written", async (_name, answers, message) => {
    const { url } = await startServer(answers);
    const { write, folder, gateway } = await setUp();
    const { code, stderr } = await write({}, false, url);
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
    expect(readdirSync(folder)).toEqual([]);
    expect(gateway.log.total).toBe(0);
  });

  test.each<readonly [string, string, string]>([
    ["1", "keeps 1 months", "set -retentionPeriod=32d or more"],
    ["", "keeps an unknown time", "does not report how long it keeps samples: it must be 32d"],
  ])("warns of the retention %j of VictoriaMetrics", async (kept, keeps, warning) => {
    const flag = kept === "" ? "" : `flag{name="retentionPeriod", value="${kept}", is_set="true"} 1\n`;
    const { url } = await startServer({
      metrics: `vm_app_version{version="a", short_version="v1.9"} 1\n${flag}`,
    });
    const { write } = await setUp();
    const { code, stderr } = await write({ days: 31, format: "victoria-metrics" }, true, url);
    expect([code, stderr]).toEqual([0, expect.stringContaining(`VictoriaMetrics 1.9 ${keeps}. `)]);
    expect(stderr).toContain(warning);
  });
});
