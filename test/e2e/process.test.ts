import { once } from "node:events";
import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { crc32, inflateRawSync } from "node:zlib";

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";

import packageJson from "../../package.json" with { type: "json" };
import { createGateway, type Gateway } from "../gateway/gateway.ts";
import { type ExporterFiles, writeExporterFiles } from "../support/exporter-files.ts";
import { type ExporterProcess, startExporter, untilReady } from "../support/exporter-process.ts";
import { parseOpenMetrics, parseTextFormat } from "../support/openmetrics.ts";
import type { Listening } from "../support/loopback.ts";
import { type Prometheus, startPrometheus } from "../support/prometheus.ts";
import { checkMetrics } from "../support/promtool.ts";
import { seriesLike, seriesOfText, type SeriesMap } from "../support/series.ts";
import { startTextRelay } from "../support/text-relay.ts";
import { describeWithTools } from "../support/tools.ts";
import { until } from "../support/until.ts";

const JOB = "aigateway-exporter";

let gateway: Gateway;
let files: ExporterFiles;
let exporter: ExporterProcess;

beforeAll(async () => {
  gateway = createGateway({ keys: 12, historyDays: 35 });
  // The books do not change, so two scrapes can be compared.
  gateway.clock.speed = 0;
  await gateway.start();
  files = writeExporterFiles({
    gatewayUrl: gateway.url,
    tokens: gateway.tokens,
    managementToken: gateway.managementToken,
    content: {
      schedule: { keys: "*/1 * * * * *", analytics: "*/10 * * * * *" },
      credit_value: { currency: "EUR", value: 0.92 },
    },
  });
  exporter = await startExporter([`--config.file=${files.configFile}`], files.environment);
  await untilReady(exporter);
});

afterAll(async () => {
  await exporter.stop();
  await gateway.stop();
  files.remove();
});

describeWithTools(["prometheus2"], "Prometheus 2 scrapes the process", ({ prometheus2 }) => {
  let relay: Listening;

  beforeAll(async () => {
    relay = await startTextRelay(exporter.address);
  });
  afterAll(() => relay.stop());

  // 2.42 always requests OpenMetrics.
  scrapeTests(() =>
    startPrometheus({
      binary: prometheus2,
      targets: { [JOB]: [exporter.address], text: [relay.address] },
      interval: "1s",
    }),
  );
});

describeWithTools(["prometheus3"], "Prometheus 3 scrapes the process", ({ prometheus3 }) =>
  scrapeTests(() => {
    return startPrometheus({
      binary: prometheus3,
      config: {
        global: { scrape_interval: "1s", scrape_timeout: "1s" },
        scrape_configs: [
          scrapeConfig(JOB, "OpenMetricsText1.0.0"),
          scrapeConfig("text", "PrometheusText0.0.4"),
        ],
      },
    });
  }),
);

function scrapeConfig(job: string, protocol: string): object {
  return {
    job_name: job,
    scrape_protocols: [protocol],
    static_configs: [{ targets: [exporter.address] }],
  };
}

function scrapeTests(start: () => Promise<Prometheus>): void {
  let prometheus: Prometheus;

  beforeAll(async () => {
    prometheus = await start();
  });
  afterAll(() => prometheus.stop());

  test("scrapes it successfully, with the series of every key", async () => {
    await prometheus.waitForScrapeAfter(Date.now(), JOB);
    // One of the first scrapes may time out on a busy machine.
    await prometheus.queryUntil("count(up == 1)", (samples) => samples[0]?.value === 2);
    expect(await prometheus.query(`count(aigateway_key_up{job="${JOB}"})`)).toMatchObject([{ value: 12 }]);
    const name = "billing";
    const [usage] = await prometheus.query(`aigateway_key_usage_credits{job="${JOB}", key="${name}"}`);
    expect(usage?.value).toBe(gateway.books.key(name).credits.usage.total);
  });

  test("stores the same samples from either format", async () => {
    const count = "max by (job) (scrape_samples_scraped)";
    const counts = await prometheus.queryUntil(
      count,
      (jobs) => jobs.length === 2 && new Set(jobs.map(({ value }) => value)).size === 1,
    );
    expect(counts[0]?.value).toBeGreaterThan(100);
    const strangers = `{__name__=~"aigateway_.*", job="${JOB}"} unless on (__name__, key, model, app, query, endpoint, code, reason, collector, aigateway_key_limit_reset) {__name__=~"aigateway_.*", job="text"}`;
    expect(await prometheus.queryUntil(strangers, (samples) => samples.length === 0)).toEqual([]);
  });
}

describe("the exposition", () => {
  const openMetrics = "application/openmetrics-text; version=1.0.0";

  test("passes the strict parsers of both formats, with the same series", async () => {
    const text = await get("/metrics", { accept: "text/plain" });
    const open = await get("/metrics", { accept: openMetrics });
    expect(text.headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(open.headers["content-type"]).toBe(`${openMetrics}; charset=utf-8`);
    const families = [parseTextFormat(text.body.toString()), parseOpenMetrics(open.body.toString())];
    const [inText, inOpen] = families.map((all) =>
      [...all.values()]
        .flatMap(({ samples }) => samples.map(({ name }) => name))
        .filter((name) => OURS.test(name)),
    );
    expect(inText?.length).toBeGreaterThan(100);
    expect(inOpen).toEqual(inText);
  });

  test.each([{ accept: "text/plain" }, { accept: openMetrics }])(
    "is one gzip member for %o",
    async (accept) => {
      const packed = await get("/metrics", { ...accept, "accept-encoding": "gzip" });
      expect(packed.headers).toMatchObject({ "content-encoding": "gzip", vary: "Accept, Accept-Encoding" });
      const { text, rest } = gunzipOne(packed.body);
      const plain = await get("/metrics", accept);
      expect(plain.headers["content-encoding"]).toBeUndefined();
      expect(rest).toBe(0);
      expect(standing(text)).toEqual(standing(plain.body.toString()));
      expect(standing(text).length).toBeGreaterThan(100);
    },
  );
});

describeWithTools(["promtool2", "promtool3"], "promtool check metrics", ({ promtool2, promtool3 }) => {
  test.each([promtool2, promtool3])("%s reports no problem", async (promtool) => {
    const { body } = await get("/metrics", { accept: "text/plain" });
    expect(await checkMetrics(promtool, body.toString())).toEqual({ ok: true, exitCode: 0, output: "" });
  });
});

describe("HTTP", () => {
  test.each([
    ["GET", "/", 200],
    ["GET", "/api/v1/status?sort=day", 200],
    ["GET", "/api/v1/status?sort=price", 400],
    ["GET", "/api/v1/status/schema", 200],
    ["POST", "/api/v1/status", 405],
    ["GET", "/api/v1/", 404],
    ["GET", "/keys/nobody", 404],
    ["POST", "/keys/nobody", 405],
    ["GET", "/-/healthy", 200],
    ["GET", "/-/ready", 200],
    ["GET", "/metrics?name[]=a", 200],
    ["GET", "/nothing", 404],
    ["GET", "/metrics/", 404],
  ])("%s %s answers %i", async (method, path, status) => {
    expect((await get(path, {}, method)).status).toBe(status);
  });

  test.each(["POST", "PUT", "DELETE", "OPTIONS"])(
    "%s /metrics is refused with the allowed methods",
    async (method) => {
      const { status, headers } = await get("/metrics", {}, method);
      expect({ status, allow: headers.allow }).toEqual({ status: 405, allow: "GET, HEAD" });
    },
  );

  test.each(["/metrics", "/", "/api/v1/status", "/-/ready", "/nothing"])(
    "HEAD %s returns what GET returns, without the body",
    async (path) => {
      const [head, whole] = [await get(path, {}, "HEAD"), await get(path, {})];
      expect(head.status).toBe(whole.status);
      expect(head.headers["content-type"]).toBe(whole.headers["content-type"]);
      expect(Number(head.headers["content-length"])).toBeGreaterThan(0);
      expect(head.body.length).toBe(0);
    },
  );
});

test("it sends its version to the gateway with every request", () => {
  const requests = gateway.log.lines;
  expect(new Set(requests.map(({ endpoint }) => endpoint))).toEqual(
    new Set(["key", "analytics", "keys", "meta", "credits"]),
  );
  expect(new Set(requests.map(({ userAgent }) => userAgent))).toEqual(
    new Set([`aigateway-exporter/${packageJson.version}`]),
  );
});

describe("SIGHUP", () => {
  const SUCCESSFUL = "aigateway_exporter_config_last_reload_successful{}";

  test("without a key withdraws its series and keeps the others", async () => {
    const before = await scraped();
    expect(countKeys(before)).toBe(12);
    const rest = [...gateway.tokens.keys()].map((name, index) => ({ name, api_key_env: `KEY_${index}` }));
    files.write({ keys: rest.filter(({ name }) => name !== "billing") });
    exporter.signal("SIGHUP");
    const after = await until("the reload", scraped, (series) => countKeys(series) === 11);
    expect(seriesLike(after, /[{,]key="billing"/).size).toBe(0);
    const [kept, had] = [after, before].map((series) =>
      seriesLike(seriesLike(series, STANDING), /key="search"/),
    );
    expect(kept).toEqual(had);
    expect(kept?.size).toBeGreaterThan(5);
    expect(after.get(SUCCESSFUL)).toBe(1);
  });

  test("with an invalid configuration keeps everything and reports the problem", async () => {
    files.write("keys: [");
    exporter.signal("SIGHUP");
    const bad = await until("the failed reload", scraped, (series) => series.get(SUCCESSFUL) === 0);
    expect(countKeys(bad)).toBe(11);
    expect(bad.get('aigateway_key_up{key="search"}')).toBe(1);
    await until(
      "the problem in the log",
      () => exporter.log(),
      (log) => log.includes(files.configFile),
    );
    // The exporter still polls.
    const SUCCESS = 'aigateway_key_last_success_timestamp_seconds{key="search"}';
    await until(
      "one more poll",
      scraped,
      (series) => (series.get(SUCCESS) ?? 0) > (bad.get(SUCCESS) ?? Infinity),
    );
  });

  test("with a valid configuration restores the key", async () => {
    files.write({});
    exporter.signal("SIGHUP");
    const good = await until(
      "the key",
      scraped,
      (series) => series.get('aigateway_key_up{key="billing"}') === 1,
    );
    expect(good.get(SUCCESSFUL)).toBe(1);
    expect(countKeys(good)).toBe(12);
  });
});

async function scraped(): Promise<SeriesMap> {
  return seriesOfText((await get("/metrics", {})).body.toString());
}

function countKeys(series: SeriesMap): number {
  return seriesLike(series, /^aigateway_key_owner_info/).size;
}

const OURS = /^aigateway_(key|analytics|usage|credit)/;

/** The lines that change neither from poll to poll nor at a midnight during the test. */
const STANDING =
  /^aigateway_(credit_value|usage_(last_)?month_\w+|key_(info|owner_info|up|unlimited|limit_credits|limit_reset|usage_credits|free_tier))[{ ]/;

function standing(text: string): readonly string[] {
  return text.split("\n").filter((line) => STANDING.test(line));
}

const Inflated = z.object({ buffer: z.instanceof(Buffer), engine: z.object({ bytesWritten: z.number() }) });

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Sends one request, and neither follows redirects nor decompresses the body. */
async function get(path: string, headers: Readonly<Record<string, string>>, method = "GET"): Promise<Reply> {
  const call = request(`${exporter.url}${path}`, { method, headers: { ...headers, connection: "close" } });
  call.end();
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    call.once("response", resolve).once("error", reject);
  });
  const chunks: Buffer[] = [];
  response.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(response, "end");
  return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) };
}

/** Decompresses the first member of a gzip file (RFC 1952), checks its trailer, and counts the bytes after it. */
function gunzipOne(packed: Buffer): { text: string; rest: number } {
  expect([...packed.subarray(0, 4)]).toEqual([0x1f, 0x8b, 8, 0]);
  const inflated: unknown = inflateRawSync(packed.subarray(10), { info: true });
  const { buffer, engine } = Inflated.parse(inflated);
  const trailer = packed.subarray(10 + engine.bytesWritten);
  expect(trailer.readUInt32LE(0)).toBe(crc32(buffer));
  expect(trailer.readUInt32LE(4)).toBe(buffer.length);
  return { text: buffer.toString(), rest: trailer.length - 8 };
}
