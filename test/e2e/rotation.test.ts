import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

import { createGateway, type Gateway } from "../gateway/gateway.ts";
import { type ExporterFiles, writeExporterFiles } from "../support/exporter-files.ts";
import { type ExporterProcess, startExporter } from "../support/exporter-process.ts";
import { type SeriesMap, seriesOfText } from "../support/series.ts";
import { until } from "../support/until.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** The path of each secret: a key's own file, a file of keys_dir, the management key's file. */
const SECRETS = ["own/billing", "keys/search", "own/management"] as const;

type Secrets = Readonly<Record<(typeof SECRETS)[number], string>>;

/** How a secret is written, and how it is replaced. */
interface Way {
  place(root: string, secrets: Secrets, version: number): void;
}

const WAYS: Readonly<Record<string, Way>> = {
  "written in place": { place: writeAll },
  "replaced by rename": {
    place: (root, secrets) => {
      for (const path of SECRETS) {
        writeFileSync(join(root, `${path}.new`), `${secrets[path]}\n`);
        renameSync(join(root, `${path}.new`), join(root, path));
      }
    },
  },
  // A Secret volume: every file is a link through ..data, which is replaced.
  "mounted by Kubernetes": {
    place: (root, secrets, version) => {
      for (const folder of ["own", "keys"]) {
        const names = SECRETS.filter((path) => path.startsWith(`${folder}/`)).map((path) =>
          path.slice(folder.length + 1),
        );
        const at = (name: string) => join(root, folder, name);
        mkdirSync(at(`..v${version}`));
        for (const name of names) {
          const path = SECRETS.find((known) => known === `${folder}/${name}`);
          writeFileSync(at(`..v${version}/${name}`), path === undefined ? "" : secrets[path]);
          if (version === 1) symlinkSync(`..data/${name}`, at(name));
        }
        symlinkSync(`..v${version}`, at("..data_tmp"));
        renameSync(at("..data_tmp"), at("..data"));
      }
    },
  },
};

function writeAll(root: string, secrets: Secrets): void {
  for (const path of SECRETS) writeFileSync(join(root, path), `${secrets[path]}\n`);
}

describe.each(Object.entries(WAYS))("secrets %s", (_name, way) => {
  let gateway: Gateway;
  let files: ExporterFiles;
  let exporter: ExporterProcess;

  const keysOf = (version: number): Secrets => ({
    "own/billing": gateway.addKey({ name: `billing-${version}` }),
    "keys/search": gateway.addKey({ name: `search-${version}` }),
    "own/management": gateway.addKey({ name: `boss-${version}`, management: true }),
  });

  beforeAll(async () => {
    gateway = createGateway();
    await gateway.start();
    files = writeExporterFiles({
      gatewayUrl: gateway.url,
      tokens: new Map(),
      content: {
        keys: [{ name: "billing", api_key_file: "own/billing" }],
        keys_dir: "keys",
        analytics: { management_key_file: "own/management" },
        schedule: { keys: "1s", analytics: "1s" },
      },
    });
    for (const folder of ["own", "keys"]) mkdirSync(join(files.directory, folder));
    way.place(files.directory, keysOf(1), 1);
    exporter = await startExporter([`--config.file=${files.configFile}`], files.environment);
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

  test("are used from the next poll on, while the previous ones are refused", async () => {
    expect(await upsBecome([1, 1, 1])).toEqual([1, 1, 1]);
    for (const name of ["billing-1", "search-1", "boss-1"]) gateway.disable(name);
    expect(await upsBecome([0, 0, 0])).toEqual([0, 0, 0]);
    way.place(files.directory, keysOf(2), 2);
    expect(await upsBecome([1, 1, 1])).toEqual([1, 1, 1]);
    expect((await scrape()).get('aigateway_key_unauthorized{key="billing"}')).toBe(0);
    expect(exporter.log()).not.toContain("Configuration reloaded");
  });
});

/** The replacement of each secret, by the name of the key. */
const SPOIL: Readonly<Record<string, (path: string) => void>> = {
  empty: (path) => writeFileSync(path, ""),
  missing: (path) => rmSync(path),
  "cut-and-more": (path) => writeFileSync(path, "sk-new\nsk-"),
  folder: (path) => {
    rmSync(path);
    mkdirSync(path);
  },
};

test("a secret file that is empty, missing, half written or a folder fails only its key, which recovers later", async () => {
  const gateway = createGateway();
  await gateway.start();
  const names = [...Object.keys(SPOIL), "other"];
  const tokens = new Map(names.map((name) => [name, gateway.addKey({ name })]));
  const files = writeExporterFiles({
    gatewayUrl: gateway.url,
    tokens,
    content: {
      keys: names.map((name) => ({ name, api_key_file: name })),
      schedule: { keys: "1s", analytics: "60s" },
    },
  });
  const at = (name: string) => join(files.directory, name);
  for (const [name, token] of tokens) writeFileSync(at(name), token);
  const exporter = await startExporter([`--config.file=${files.configFile}`], files.environment);
  const upsOf = (series: SeriesMap) => names.map((name) => series.get(`aigateway_key_up{key="${name}"}`));
  const become = async (what: string, wanted: readonly number[]) =>
    until(
      what,
      async () => seriesOfText(await (await fetch(`${exporter.url}/metrics`)).text()),
      (series) => upsOf(series).join() === wanted.join(),
    );

  await become("all", [1, 1, 1, 1, 1]);
  for (const [name, spoil] of Object.entries(SPOIL)) spoil(at(name));
  const spoilt = await become("the failures", [0, 0, 0, 0, 1]);
  const FAILURES = "aigateway_exporter_poll_failures_total";
  expect(spoilt.get(`${FAILURES}{collector="key",reason="secret_unreadable"}`)).toBeGreaterThan(3);
  expect(spoilt.get(`${FAILURES}{collector="key",reason="unauthorized"}`)).toBe(0);
  // The last good values stay until their time to live has passed.
  expect(spoilt.get('aigateway_key_unlimited{key="empty"}')).toBe(1);
  for (const name of Object.keys(SPOIL)) {
    rmSync(at(name), { recursive: true, force: true });
    writeFileSync(at(name), `${tokens.get(name)}\n`);
  }
  const mended = await become("the recovery", [1, 1, 1, 1, 1]);
  expect(upsOf(mended)).toEqual([1, 1, 1, 1, 1]);
  const { stderr } = await exporter.stop();
  await gateway.stop();
  files.remove();
  expect(stderr.match(/"reason":"secret_unreadable","msg":"Cannot read/g)).toHaveLength(4);
  for (const token of tokens.values()) expect(stderr).not.toContain(token);
});
