import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createGateway, type Gateway } from "../gateway/gateway.ts";
import { type ExporterProcess, startExporter, untilReady } from "../support/exporter-process.ts";
import { writeMounted } from "../support/mounted-folder.ts";
import { type SeriesMap, seriesOfText, type SeriesWatch, watchSeries } from "../support/series.ts";
import { until } from "../support/until.ts";
import { configHash } from "../../exporter/config/config.ts";

const INTERVAL = "--config.auto-reload-interval=1s";
const HASH = "aigateway_exporter_config_hash{}";
const SUCCESSFUL = "aigateway_exporter_config_last_reload_successful{}";

let gateway: Gateway;
let root: string;

beforeAll(async () => {
  gateway = createGateway({ keys: 6, historyDays: 2 });
  // The books do not change, so two scrapes can be compared.
  gateway.clock.speed = 0;
  await gateway.start();
  root = mkdtempSync(join(tmpdir(), "auto-reload-"));
});

afterAll(async () => {
  await gateway.stop();
  rmSync(root, { recursive: true });
});

async function scrape({ url }: ExporterProcess): Promise<SeriesMap> {
  const response = await fetch(`${url}/metrics`);
  expect(response.status).toBe(200);
  return seriesOfText(await response.text());
}

function textOf(change: object = {}): string {
  const keys = [...gateway.tokens.keys()].map((name) => ({ name, api_key_file: `../keys/${name}` }));
  return JSON.stringify({
    gateway: { base_url: gateway.url, requests_per_minute: 0 },
    keys,
    schedule: { keys: "2s" },
    ...change,
  });
}

/** The series about the keys, which must be in every scrape. */
function isStanding(name: string): boolean {
  return /^aigateway_key_(up|usage|limit)/.test(name);
}

function keyFiles(): Record<string, string> {
  return Object.fromEntries(gateway.tokens);
}

function conf(): string {
  return join(root, "mounted/conf");
}

function swap(text: string): void {
  writeMounted(conf(), { "config.yaml": text });
}

describe("a configuration that is mounted as Kubernetes does it", () => {
  let exporter: ExporterProcess;
  let watch: SeriesWatch;

  beforeAll(async () => {
    writeMounted(join(root, "mounted/keys"), keyFiles());
    writeMounted(conf(), { "config.yaml": textOf() });
    exporter = await startExporter([`--config.file=${join(conf(), "config.yaml")}`, INTERVAL], {});
    await untilReady(exporter);
    const { size } = gateway.tokens;
    await seen(
      "all keys",
      (series) => [...series.keys()].filter((name) => /_key_up/.test(name)).length === size,
    );
    watch = await watchSeries(exporter.url, isStanding);
  });

  afterAll(() => exporter.stop());

  const seen = (what: string, accept: (series: SeriesMap) => boolean) =>
    until(what, () => scrape(exporter), accept);

  test("is in use after a swap, as the hash shows", async () => {
    const text = textOf({ credit_value: { currency: "EUR", value: 2 } });
    swap(text);
    const series = await seen("the hash", (each) => each.get(HASH) === configHash(text));
    expect(series.get('aigateway_credit_value{currency="EUR"}')).toBe(2);
    expect(series.get(SUCCESSFUL)).toBe(1);
  });

  test("is kept when a bad one is swapped in, and mended by the next swap", async () => {
    const good = (await scrape(exporter)).get(HASH);
    swap(textOf({ series_limit: 0 }));
    const series = await seen("the refusal", (each) => each.get(SUCCESSFUL) === 0);
    expect(series.get(HASH)).toBe(good);
    expect(series.get('aigateway_credit_value{currency="EUR"}')).toBe(2);
    const text = textOf({ credit_value: { currency: "USD", value: 3 } });
    swap(text);
    const mended = await seen("the hash", (each) => each.get(HASH) === configHash(text));
    expect([mended.get(SUCCESSFUL), mended.get('aigateway_credit_value{currency="USD"}')]).toEqual([1, 3]);
    const problems = exporter
      .log()
      .split("\n")
      .filter((line) => line.includes("series_limit: 0 is not"));
    expect(problems).toHaveLength(1);
  });

  test("waits for a key's file that is mounted later", async () => {
    const token = gateway.addKey({ name: "late" });
    const text = textOf();
    swap(text);
    await seen("the key's failure", (each) => each.get('aigateway_key_up{key="late"}') === 0);
    writeMounted(join(root, "mounted/keys"), { ...keyFiles(), late: token });
    const series = await seen("the key", (each) => each.get('aigateway_key_up{key="late"}') === 1);
    expect([series.get(HASH), series.get(SUCCESSFUL)]).toEqual([configHash(text), 1]);
  });

  test("has lost no series in any scrape, and not started again", async () => {
    const { scrapes, lost } = await watch.end();
    expect(scrapes).toBeGreaterThan(20);
    expect(lost).toEqual([]);
    expect(exporter.log().match(/"msg":"Listening"/g)).toHaveLength(1);
  });
});
