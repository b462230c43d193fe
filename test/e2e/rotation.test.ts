import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

import { createGateway, type Gateway } from "../gateway/gateway.ts";
import { type AppProcess, startFastProcess } from "../support/app-process.ts";
import { type ExporterFiles, writeExporterFiles } from "../support/exporter-files.ts";
import { type FastTime, shownAt } from "../support/fast-time.ts";
import { type SeriesMap, seriesOfText } from "../support/series.ts";
import { until } from "../support/until.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** The path of each secret: a key's own file, a file of keys_dir, the management key's file. */
const SECRETS = ["own/billing", "keys/search", "own/management"] as const;

type Secrets = Readonly<Record<(typeof SECRETS)[number], string>>;

/** As a Secret volume: every file is a link through ..data, which is replaced. */
function place(root: string, secrets: Secrets, version: number): void {
  for (const folder of ["own", "keys"]) {
    const paths = SECRETS.filter((path) => path.startsWith(`${folder}/`));
    const at = (name: string) => join(root, folder, name);
    mkdirSync(at(`..v${version}`));
    for (const path of paths) {
      const name = path.slice(folder.length + 1);
      writeFileSync(at(`..v${version}/${name}`), secrets[path]);
      if (version === 1) symlinkSync(`..data/${name}`, at(name));
    }
    symlinkSync(`..v${version}`, at("..data_tmp"));
    renameSync(at("..data_tmp"), at("..data"));
  }
}

describe("secrets that Kubernetes mounts", () => {
  let gateway: Gateway;
  let files: ExporterFiles;
  let exporter: AppProcess;
  let first: Secrets;

  const keysOf = (version: number): Secrets => ({
    "own/billing": gateway.addKey({ name: `billing-${version}` }),
    "keys/search": gateway.addKey({ name: `search-${version}` }),
    "own/management": gateway.addKey({ name: `boss-${version}`, management: true }),
  });

  beforeAll(async () => {
    // Ten seconds of the exporter pass in one.
    const time: FastTime = { speed: 10, realMs: Date.now(), shownMs: Date.now() };
    gateway = createGateway({ now: () => shownAt(time, Date.now()), startAt: time.shownMs });
    await gateway.start();
    files = writeExporterFiles({
      gatewayUrl: gateway.url,
      tokens: new Map(),
      content: {
        keys: [{ name: "billing", api_key_file: "own/billing" }],
        keys_dir: "keys",
        analytics: { management_key_file: "own/management" },
        // Its deadlines pass fast, too.
        gateway: { base_url: gateway.url, requests_per_minute: 0, deadline: "5m" },
        schedule: { keys: "10s", analytics: "10s" },
      },
    });
    for (const folder of ["own", "keys"]) mkdirSync(join(files.directory, folder));
    first = keysOf(1);
    place(files.directory, first, 1);
    exporter = await startFastProcess(files, time);
  });

  afterAll(async () => {
    await exporter.stop();
    await gateway.stop();
    files.remove();
  });

  const UPS = [
    'aigateway_key_up{key="billing"}',
    'aigateway_key_up{key="search"}',
    'aigateway_analytics_up{query="day"}',
  ];

  async function scrape(): Promise<SeriesMap> {
    return seriesOfText(await (await fetch(`${exporter.url}/metrics`)).text());
  }

  function upsBecome(wanted: readonly number[]) {
    return until(
      `${UPS.join(", ")} to be ${wanted.join(", ")}`,
      async () => {
        const series = await scrape();
        return UPS.map((name) => series.get(name));
      },
      (seen) => seen.every((value, index) => value === wanted[index]),
    );
  }

  test("fail only their own target while they are empty", async () => {
    expect(await upsBecome([1, 1, 1])).toEqual([1, 1, 1]);
    place(files.directory, { ...first, "keys/search": "" }, 2);
    expect(await upsBecome([1, 0, 1])).toEqual([1, 0, 1]);
    const series = await scrape();
    const FAILURES = "aigateway_exporter_poll_failures_total";
    expect(series.get(`${FAILURES}{collector="key",reason="secret_unreadable"}`)).toBeGreaterThan(0);
    // The last good values stay until their time to live has passed.
    expect(series.get('aigateway_key_unlimited{key="search"}')).toBe(1);
    place(files.directory, first, 3);
    expect(await upsBecome([1, 1, 1])).toEqual([1, 1, 1]);
  });

  test("are used from the next poll on, while the previous ones are refused", async () => {
    for (const name of ["billing-1", "search-1", "boss-1"]) gateway.disable(name);
    expect(await upsBecome([0, 0, 0])).toEqual([0, 0, 0]);
    place(files.directory, keysOf(2), 4);
    expect(await upsBecome([1, 1, 1])).toEqual([1, 1, 1]);
    expect((await scrape()).get('aigateway_key_unauthorized{key="billing"}')).toBe(0);
    expect(exporter.log()).not.toContain("Configuration reloaded");
  });
});
