import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import packageJson from "../../package.json" with { type: "json" };
import { createGateway, type Gateway } from "../gateway/gateway.ts";
import { type ExporterFiles, writeExporterFiles } from "../support/exporter-files.ts";
import { runExporter, startExporter } from "../support/exporter-process.ts";
import { seriesLike, seriesOfText } from "../support/series.ts";
import { until } from "../support/until.ts";
import { expectedKeySeries } from "./key-series.ts";

let gateway: Gateway;
let files: ExporterFiles;
let configuration: string;

beforeAll(async () => {
  gateway = createGateway({ keys: 12, historyDays: 3 });
  gateway.clock.speed = 0;
  await gateway.start();
  files = writeExporterFiles({
    gatewayUrl: gateway.url,
    tokens: gateway.tokens,
    managementToken: gateway.managementToken,
  });
  configuration = `--config.file=${files.configFile}`;
});

afterAll(async () => {
  await gateway.stop();
  files.remove();
});

describe("a command that ends by itself", () => {
  test("--version prints the version", async () => {
    const stdout = `aigateway-exporter ${packageJson.version}\n`;
    expect(await runExporter(["--version"])).toEqual({ code: 0, stdout, stderr: "" });
  });

  test.each(["--help", "-h"])("%s prints every flag", async (flag) => {
    const { code, stdout, stderr } = await runExporter([flag]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const word of ["check", "--once", "--config.file", "--web.listen-address", "--log.level"]) {
      expect(stdout).toContain(word);
    }
  });

  test("check of a good configuration", async () => {
    const { code, stdout, stderr } = await runExporter(["check", configuration], files.environment);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(`${files.configFile}: is valid: 12 keys, analytics\n`);
  });

  test.each([
    [[{ name: "all", limit: 500, window: "month", keys: "all" } as const], "1 budget"],
    [
      [
        { name: "all", limit: 500, window: "month", keys: "all" } as const,
        { name: "prepaid", limit: 2000, window: "total", since: "2026-11-01", account: true } as const,
      ],
      "2 budgets",
    ],
  ])("check of budgets counts them: %j", async (budgets, text) => {
    const { url: gatewayUrl, tokens, managementToken } = gateway;
    const own = writeExporterFiles({ gatewayUrl, tokens, managementToken, content: { budgets } });
    const { stdout } = await runExporter(["check", `--config.file=${own.configFile}`], own.environment);
    own.remove();
    expect(stdout).toContain(`${own.configFile}: is valid: 12 keys, analytics, ${text}\n`);
  });

  test("--once prints what /metrics would show", async () => {
    const { code, stdout, stderr } = await runExporter(["--once", configuration], files.environment);
    expect(code).toBe(0);
    const series = seriesOfText(stdout);
    const expected = seriesLike(expectedKeySeries(gateway, gateway.tokens.keys()), LASTING);
    expect(seriesLike(series, LASTING)).toEqual(expected);
    expect(seriesLike(series, /^aigateway_analytics_up\{query="\w+"\}/).size).toBe(4);
    // Two keys of the simulated world are refused, which is logged to standard error.
    expect(stderr.split("\n").filter((line) => line.includes("gateway answered 401"))).toHaveLength(2);
  });
});

describe("an invalid command line ends with exit code 2 and advice", () => {
  test.each([
    [["--web.listen-adress=:1"], "Unknown option '--web.listen-adress'"],
    [["--web.listen-address=nowhere"], 'Cannot listen on "nowhere" (--web.listen-address)'],
    [["--web.telemetry-path=/"], 'Cannot serve metrics at "/" (--web.telemetry-path)'],
    [["--log.level=loud"], 'Unknown value "loud" of --log.level'],
    [["--log.format=xml"], 'Unknown value "xml" of --log.format'],
    [["serve"], 'Unknown command "serve"'],
    [["check", "more"], 'Unexpected argument "more"'],
    [["check", "--once"], "--once does not apply to the command check"],
    [["--online"], "--online applies to the command check only"],
    [["--config.file"], "argument missing"],
  ])("%j", async (parameters, message) => {
    const { code, stdout, stderr } = await runExporter(parameters);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(message);
    expect(stderr).toMatch(/\nSee aigateway-exporter --help\n$/);
  });
});

describe("an invalid configuration ends with exit code 1 and every problem", () => {
  const bad = {
    keys: [{ name: "Not A Name" }],
    gateway: { base_url: "nowhere", timeout: "soon" },
    more: true,
  };
  const PROBLEMS = ["gateway.base_url", "gateway.timeout", "keys[0].name", "keys[0]: has no secret", "more"];

  test.each([[["check"]], [["--once"]], [[]]])("%j", async (command) => {
    const file = join(files.directory, "bad.yaml");
    writeFileSync(file, JSON.stringify(bad));
    const { code, stdout, stderr } = await runExporter([...command, `--config.file=${file}`]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    for (const problem of PROBLEMS) expect(stderr).toContain(problem);
    expect(stderr.trimEnd().split("\n")).toHaveLength(PROBLEMS.length);
  });

  test.each([[["check"]], [[]]])("%j of a missing file", async (command) => {
    const file = join(files.directory, "missing.yaml");
    rmSync(file, { force: true });
    const { code, stderr } = await runExporter([...command, `--config.file=${file}`]);
    expect(code).toBe(1);
    expect(stderr).toContain(`${file}: does not exist`);
    expect(stderr).toContain("Name the configuration file with --config.file");
  });
});

describe("the daemon", () => {
  test("ends with exit code 1 and a message if its port is in use", async () => {
    const busy = new URL(gateway.url).host;
    const { code, stderr } = await runExporter(
      [configuration, `--web.listen-address=${busy}`],
      files.environment,
    );
    expect(code).toBe(1);
    expect(stderr).toContain(`Cannot listen on ${busy} (--web.listen-address): the address is in use`);
  });

  test.each(["SIGTERM", "SIGINT"] as const)("ends with exit code 0 at %s", async (signal) => {
    const exporter = await startExporter([configuration], files.environment);
    const { code, stdout, stderr } = await exporter.stop(signal);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toContain('"msg":"Stopping"');
  });

  test("ends at SIGTERM even while the gateway does not answer", async () => {
    const fault = gateway.faults.add({ kind: "slow", delayMs: 3_600_000 });
    const exporter = await startExporter([configuration], files.environment);
    await until(
      "the polls",
      () => gateway.faults.list()[0]?.hits ?? 0,
      (hits) => hits > 0,
    );
    const { code } = await exporter.stop();
    fault.clear();
    expect(code).toBe(0);
  });

  test("shows its metrics at --web.telemetry-path only, and logs in the --log.format", async () => {
    const flags = ["--web.telemetry-path=/credits", "--log.format=logfmt", "--log.level=debug"];
    const exporter = await startExporter([configuration, ...flags], files.environment);
    const statuses = await Promise.all(
      ["/credits", "/metrics"].map(async (path) => (await fetch(exporter.url + path)).status),
    );
    await until(
      "a poll in the log",
      () => exporter.log(),
      (log) => log.includes("Polled key"),
    );
    const { stderr } = await exporter.stop();
    expect(statuses).toEqual([200, 404]);
    for (const line of stderr.trimEnd().split("\n")) expect(line).toMatch(/^level=\w+ time=\S+ .*msg=/);
  });
});

/** The series that never change, even right after midnight. */
const LASTING =
  /^aigateway_key_(info|owner_info|up|unauthorized|unlimited|limit_credits|limit_reset|usage_credits)\{/;
