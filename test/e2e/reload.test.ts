import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { createGateway, type Gateway } from "../gateway/gateway.ts";
import { type ExporterFiles, writeExporterFiles } from "../support/exporter-files.ts";
import { type ExporterProcess, startExporter, untilReady } from "../support/exporter-process.ts";
import { heapAfterCollection } from "../support/heap.ts";
import { ROOT } from "../support/repository.ts";
import { type SeriesMap, seriesOfText } from "../support/series.ts";
import { until } from "../support/until.ts";

const SECONDS = 2;

let gateway: Gateway;
let files: ExporterFiles;
let exporter: ExporterProcess;
let keys: readonly { readonly name: string; readonly api_key_env: string }[];

beforeAll(async () => {
  gateway = createGateway({ keys: 9, historyDays: 2 });
  // The books do not change, so two scrapes can be compared.
  gateway.clock.speed = 0;
  await gateway.start();
  files = writeExporterFiles({
    gatewayUrl: gateway.url,
    tokens: gateway.tokens,
    managementToken: gateway.managementToken,
    content: { schedule: { keys: `${SECONDS}s`, analytics: "60s" } },
  });
  keys = [...gateway.tokens.keys()].map((name, index) => ({ name, api_key_env: `KEY_${index}` }));
  exporter = await startExporter(
    [`--config.file=${files.configFile}`, "--web.enable-lifecycle"],
    files.environment,
    ["--inspect=127.0.0.1:0", join(ROOT, "exporter/main.ts")],
  );
  await untilReady(exporter);
});

afterAll(async () => {
  await exporter.stop();
  await gateway.stop();
  files.remove();
});

async function reload(method = "POST"): Promise<readonly [number, string]> {
  const response = await fetch(`${exporter.url}/-/reload`, { method });
  return [response.status, await response.text()];
}

async function scrape(): Promise<SeriesMap> {
  const response = await fetch(`${exporter.url}/metrics`);
  expect(response.status).toBe(200);
  return seriesOfText(await response.text());
}

/** The series about the gateway that do not change, without one key. */
function standing(series: SeriesMap, without: string): SeriesMap {
  const own = [...series].filter(
    ([name]) =>
      name.startsWith("aigateway_") &&
      !/^aigateway_exporter_|timestamp/.test(name) &&
      !name.includes(`key="${without}"`),
  );
  return new Map(own);
}

describe("POST /-/reload", () => {
  test.each(["POST", "PUT"])("returns 200 to %s", async (method) => {
    expect(await reload(method)).toEqual([200, "Configuration reloaded\n"]);
  });

  test("refuses GET", async () => {
    const response = await fetch(`${exporter.url}/-/reload`);
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST, PUT"]);
  });

  test("with a bad configuration changes nothing and reports every problem without secrets", async () => {
    const before = standing(await scrape(), "");
    const secret = "sk-or-v1-0123456789abcdef0123456789abcdef";
    files.write({ keys: [{ name: "Bad Name", api_key_env: secret }], series_limit: 0 });
    const [status, text] = await reload();
    expect(status).toBe(500);
    expect(text).toMatch(/^Cannot reload; the running configuration is unchanged\n/);
    for (const path of ["keys[0].name", "keys[0].api_key_env", "series_limit"]) {
      expect(text).toContain(`${files.configFile}: line 1: ${path}: `);
    }
    const after = await scrape();
    expect(standing(after, "")).toEqual(before);
    expect(after.get("aigateway_exporter_config_last_reload_successful{}")).toBe(0);
    expect(text + exporter.log()).not.toContain(secret.slice(9));
    files.write({});
    expect((await reload())[0]).toBe(200);
    expect((await scrape()).get("aigateway_exporter_config_last_reload_successful{}")).toBe(1);
  });

  test("concurrent reloads run in sequence, and the last file applies", async () => {
    const [removed] = keys.slice(-1);
    const answers = [];
    for (let each = 0; each < 20; each++) {
      files.write(each % 2 === 0 ? {} : { keys: keys.slice(0, -1) });
      answers.push(reload());
      if (each % 3 === 0) exporter.signal("SIGHUP");
    }
    expect(new Set((await Promise.all(answers)).map(([status]) => status))).toEqual(new Set([200]));
    // The exposition is rendered once a second.
    const shown = await until(
      "the key to be gone",
      async () =>
        [...(await scrape()).keys()].filter((name) => /[{,]key="([^"]*)"/.exec(name)?.[1] === removed?.name),
      (names) => names.length === 0,
    );
    expect(shown).toEqual([]);
    files.write({});
    await reload();
  });

  test("returns 403 without --web.enable-lifecycle", async () => {
    const plain = await startExporter([`--config.file=${files.configFile}`], files.environment);
    const response = await fetch(`${plain.url}/-/reload`, { method: "POST" });
    const seen = [response.status, await response.text()];
    await plain.stop();
    expect(seen).toEqual([403, "Lifecycle API is not enabled (--web.enable-lifecycle)\n"]);
  });
});

describe("a thousand reloads under scraping", () => {
  const RELOADS = 1000;

  test(
    "lose no series, fail no scrape, poll no key more often, and leak no memory",
    { timeout: 300_000 },
    async () => {
      const changing = keys.at(-1)?.name ?? "";
      await until(
        "all values",
        async () => (await scrape()).get(`aigateway_key_up{key="${changing}"}`),
        (up) => up !== undefined,
      );
      const expected = standing(await scrape(), changing);
      expect(expected.size).toBeGreaterThan(100);
      const [logged, begun] = [gateway.log.total, performance.now()];
      const heap: number[] = [];
      const lost: (readonly [string, number])[] = [];
      for (let each = 1; each <= RELOADS; each++) {
        files.write(each % 2 === 0 ? {} : { keys: keys.slice(0, -1) });
        const [answer, series] = await Promise.all([reload(), scrape()]);
        expect(answer[0]).toBe(200);
        lost.push(...[...expected].filter(([name, value]) => series.get(name) !== value));
        if (each % 200 === 0) heap.push(await heapAfterCollection(exporter));
      }
      expect(lost).toEqual([]);
      const rounds = (performance.now() - begun) / (SECONDS * 1000);
      const unchanged = gateway.log.lines
        .slice(-(gateway.log.total - logged))
        .filter(({ endpoint, key }) => endpoint === "key" && key === keys[0]?.name);
      // Timers are never early, so there is at most one poll for each interval that began, and one in progress at
      // either end.
      expect(unchanged.length).toBeLessThanOrEqual(Math.ceil(rounds) + 2);
      // The heap still grows by the machine code of functions that became hot: 0.9 MB in 800 reloads.
      const [early = Number.NaN, late] = [heap.at(0), heap.at(-1)];
      expect(late).toBeLessThan(early + 3_000_000);
    },
  );
});
