import { mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { configHash } from "../../exporter/config/config-hash.ts";
import { createGateway, type Gateway } from "../gateway/gateway.ts";
import { type ExporterProcess, startExporter, untilReady } from "../support/exporter-process.ts";
import { writeMounted } from "../support/mounted-folder.ts";
import { type SeriesMap, seriesOfText } from "../support/series.ts";
import { type SeriesWatch, watchSeries } from "../support/series-watch.ts";
import { until } from "../support/until.ts";

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
    await seen("the refusal", (each) => each.get(SUCCESSFUL) === 0);
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

describe("a configuration in a folder of a machine", () => {
  test("is reloaded when it is complete, and so is a folder of keys with another key", async () => {
    const keysDir = join(root, "plain-keys");
    const [first = "", second = ""] = gateway.tokens.values();
    writeMounted(keysDir, { first });
    const file = join(root, "config.yaml");
    const text = textOf({ keys: [], keys_dir: keysDir });
    const descriptor = openSync(file, "w");
    writeSync(descriptor, text);
    const exporter = await startExporter([`--config.file=${file}`, INTERVAL], {});
    // Each part is a valid configuration.
    for (let line = 0; line < 20; line++) {
      writeSync(descriptor, `\n# line ${line}`);
      await delay(100);
    }
    const whole = configHash(readFileSync(file, "utf8"));
    await until(
      "the hash",
      () => scrape(exporter),
      (series) => series.get(HASH) === whole,
    );
    writeMounted(keysDir, { first, second });
    await until(
      "the key",
      () => scrape(exporter),
      (series) => series.get('aigateway_key_up{key="second"}') === 1,
    );
    const { stderr } = await exporter.stop();
    expect(stderr.match(/"msg":"Configuration reloaded"/g)?.length).toBeLessThan(10);
  });

  test("is not reloaded without the flag", async () => {
    const mounted = join(root, "fixed");
    writeMounted(mounted, { "config.yaml": textOf({ keys: [], keys_dir: join(root, "plain-keys") }) });
    const exporter = await startExporter([`--config.file=${join(mounted, "config.yaml")}`], {});
    const before = (await scrape(exporter)).get(HASH);
    writeMounted(mounted, { "config.yaml": "keys: 1" });
    await delay(2500);
    const series = await scrape(exporter);
    expect([series.get(HASH), series.get(SUCCESSFUL)]).toEqual([before, 1]);
    await exporter.stop();
  });
});
