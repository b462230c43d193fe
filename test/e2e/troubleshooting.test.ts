import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

import { renderRuleFile } from "../../dashboards/rules/file.ts";
import { createRules } from "../../dashboards/rules/index.ts";
import { JOB } from "../../dashboards/rules/settings.ts";
import { blockLines } from "../documentation/pages.ts";
import { createGateway, type Gateway } from "../gateway/gateway.ts";
import { launch } from "../support/child.ts";
import { type ExporterFiles, writeExporterFiles } from "../support/exporter-files.ts";
import { type ExporterProcess, startExporter } from "../support/exporter-process.ts";
import { type Prometheus, startPrometheus } from "../support/prometheus.ts";
import { ROOT } from "../support/repository.ts";
import { describeWithTools } from "../support/tools.ts";
import { until } from "../support/until.ts";

/** A minute of the rules takes a second. */
const SCALE = 1 / 60;

const commands = blockLines(readFileSync(join(ROOT, "docs", "troubleshooting.md"), "utf8"), "sh");

describeWithTools(["prometheus3", "promtool3", "amtool", "bash"], "docs/troubleshooting.md", (tools) => {
  let gateway: Gateway;
  let files: ExporterFiles;
  let exporter: ExporterProcess;
  let prometheus: Prometheus;
  /** What takes long: it keeps the pace of the analytics. */
  let early: ReadonlyMap<string, ReturnType<typeof run>>;

  beforeAll(async () => {
    gateway = createGateway();
    gateway.addKey({ name: "billing", limitMicros: 10_000_000, limitReset: "daily" });
    await gateway.start();
    gateway.spend({ key: "billing", model: "acme/one", app: "Chat", micros: 10_000_000 });
    files = writeExporterFiles({
      ...gateway,
      tokens: new Map([...gateway.tokens, ["refused", "sk-unknown-to-the-gateway-0123456789"]]),
      content: {
        discovery: {},
        budgets: [{ name: "small", limit: 5, window: "day", keys: ["billing", "refused"] }],
        schedule: { keys: "2s" },
      },
    });
    exporter = await startExporter([`--config.file=${files.configFile}`], files.environment);
    prometheus = await startPrometheus({
      binary: tools.prometheus3,
      targets: { [JOB]: [exporter.address] },
      rules: [renderRuleFile(createRules({ scale: SCALE }))],
      interval: "500ms",
      alertmanagerUrl: "http://127.0.0.1:9",
    });
    early = new Map(
      commands.filter((command) => command.includes("--online")).map((command) => [command, run(command)]),
    );
    await until(
      "the unwatched spend",
      async () => (await fetch(`${exporter.url}/metrics`)).text(),
      (text) => text.includes("\naigateway_unwatched_"),
    );
    await until(
      "an alert",
      () => prometheus.query("count(ALERTS)"),
      (samples) => samples.length > 0,
      { timeoutMs: 150_000, pauseMs: 500 },
    );
  }, 120_000);

  afterAll(async () => {
    await prometheus?.stop();
    await exporter?.stop();
    await gateway?.stop();
    files?.remove();
  });

  test("has commands", () => expect(commands.length).toBeGreaterThan(25));

  test.each(commands)("%s", async (command) => {
    const { stdout, stderr } = await (early.get(command) ?? run(command));
    expect(stderr).not.toMatch(/not found|rror:|sage:|nvalid|nknown flag|No such file/);
    expect(stdout.trim()).not.toBe("");
  });

  /** Runs a line of the page as its reader would, with the addresses and files of this test. */
  async function run(command: string) {
    const line = command
      .replaceAll(/(?:http:\/\/)?localhost:9090/g, prometheus.url)
      .replaceAll("localhost:9853", exporter.address)
      .replaceAll("config.yaml", files.configFile);
    const script = `aigateway-exporter() { "${process.execPath}" exporter/main.ts "$@"; }
      promtool() { "${tools.promtool3}" "$@"; }
      ${line}`;
    const environment = {
      ...files.environment,
      PATH: `${dirname(tools.amtool)}:${process.env["PATH"] ?? ""}`,
    };
    const program = launch(tools.bash, ["--norc", "-c", script], { directory: ROOT, environment });
    // The exit code is that of the last program, such as grep, or reports problems that the page is about.
    await program.ended;
    return { stdout: program.stdout(), stderr: program.stderr() };
  }
});
