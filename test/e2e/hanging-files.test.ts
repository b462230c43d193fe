import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { createGateway, type Gateway } from "../gateway/gateway.ts";
import { type ExporterFiles, writeExporterFiles } from "../support/exporter-files.ts";
import { runExporter, startExporter } from "../support/exporter-process.ts";
import { seriesOfText } from "../support/series.ts";
import { until } from "../support/until.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** More keys than Node has threads. */
const DEAD = ["dead-0", "dead-1", "dead-2", "dead-3", "dead-4"];
const EVERY_SECOND = { keys: "* * * * * *" };

let gateway: Gateway;

beforeAll(async () => {
  gateway = createGateway();
  await gateway.start();
  for (const name of ["alive", ...DEAD]) gateway.addKey({ name });
});

afterAll(() => gateway.stop());

/** Opens files like a dead network mount does: the opening of a FIFO blocks a thread for ever. */
const BLOCKING = `data:text/javascript,${encodeURIComponent(`
import promises, { constants } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
const { open } = promises;
promises.open = (path, flags, mode) => open(path, flags & ~constants.O_NONBLOCK, mode);
syncBuiltinESMExports();
`)}`;

/** A configuration whose keys have files of their own in one folder. */
function stage(): ExporterFiles {
  const files = writeExporterFiles({ gatewayUrl: gateway.url, tokens: gateway.tokens });
  onTestFinished(() => files.remove());
  mkdirSync(join(files.directory, "secrets"));
  mkdirSync(join(files.directory, "others"));
  for (const [name, token] of gateway.tokens) writeFileSync(pathOf(files, name), token);
  files.write({
    keys: ["alive", ...DEAD].map((name) => ({ name, api_key_file: pathOf(files, name) })),
    schedule: EVERY_SECOND,
  });
  return files;
}

function up(seen: ReturnType<typeof seriesOfText>, name: string): number | undefined {
  return seen.get(`aigateway_key_up{key="${name}"}`);
}

function pathOf({ directory }: ExporterFiles, name: string): string {
  return join(directory, name === "alive" ? "others" : "secrets", name);
}

function turnToFifos(files: ExporterFiles): void {
  for (const name of DEAD) {
    rmSync(pathOf(files, name));
    execFileSync("mkfifo", [pathOf(files, name)]);
  }
}

describe.each([
  ["FIFOs", {}, "is not a regular file"],
  [
    "files that hang",
    { NODE_OPTIONS: `--import=${BLOCKING}` },
    /could not be read within 5 s|another file hangs/,
  ],
])("secrets that become %s", (_, environment, fault) => {
  test("fail their own keys only, and neither a reload nor the end of the process hangs", async () => {
    const files = stage();
    const flags = [`--config.file=${files.configFile}`, "--web.enable-lifecycle"];
    const exporter = await startExporter(flags, { ...files.environment, ...environment });
    const series = async () => seriesOfText(await (await fetch(`${exporter.url}/metrics`)).text());
    await until("the first polls", series, (seen) => DEAD.every((name) => up(seen, name) === 1));
    turnToFifos(files);
    // A key is not up as soon as its last answer is too old, before a poll has failed.
    await until("the failures", series, (seen) => {
      const failed = [...seen].some(([name, value]) => name.includes("secret_unreadable") && value > 0);
      return failed && DEAD.every((name) => up(seen, name) === 0);
    });

    const seen = await series();
    expect(up(seen, "alive")).toBe(1);
    const reasons = [...seen.keys()].filter((name) =>
      name.startsWith("aigateway_exporter_poll_failures_total"),
    );
    expect(reasons.filter((name) => (seen.get(name) ?? 0) > 0)).toEqual([
      expect.stringContaining('reason="secret_unreadable"'),
    ]);
    expect((await fetch(`${exporter.url}/-/healthy`)).status).toBe(200);
    const before = seen.get('aigateway_key_last_success_timestamp_seconds{key="alive"}') ?? 0;
    await until(
      "another poll",
      series,
      (later) => (later.get('aigateway_key_last_success_timestamp_seconds{key="alive"}') ?? 0) > before,
    );

    const reload = await fetch(`${exporter.url}/-/reload`, { method: "POST" });
    const text = await reload.text();
    expect([reload.status, text.split("\n").length]).toEqual([500, 2 + DEAD.length]);
    expect(text).toMatch(fault);

    const { code, stderr } = await exporter.stop();
    expect(code).toBe(0);
    expect(stderr).not.toContain("Cannot stop");
  });

  test("let check and --once end", async () => {
    const files = stage();
    turnToFifos(files);
    const flags = [`--config.file=${files.configFile}`];
    for (const command of ["check", "--once"]) {
      const { code, stderr } = await runExporter([command, ...flags], {
        ...files.environment,
        ...environment,
      });
      expect([command, code]).toEqual([command, 1]);
      expect(stderr).toMatch(fault);
    }
  });

  test("a configuration of that kind as well", async () => {
    const files = stage();
    turnToFifos(files);
    const flags = [`--config.file=${pathOf(files, "dead-0")}`];
    for (const command of [["check"], []]) {
      const { code, stderr } = await runExporter([...command, ...flags], environment);
      expect([command, code]).toEqual([command, 1]);
      expect(stderr).toMatch(fault);
    }
  });
});
