import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { type Gateway, createGateway } from "../gateway/gateway.ts";
import { type ExporterFiles, writeExporterFiles } from "../support/exporter-files.ts";
import { runExporter, startExporter } from "../support/exporter-process.ts";
import { seriesLike, seriesOfText } from "../support/series.ts";
import { until } from "../support/until.ts";

let gateway: Gateway;
let files: ExporterFiles;
let configuration: string;

beforeAll(async () => {
  gateway = createGateway({ keys: 12, historyDays: 3 });
  gateway.clock.speed = 0;
  await gateway.start();
  files = writeExporterFiles(gateway);
  configuration = `--config.file=${files.configFile}`;
});

afterAll(async () => {
  await gateway.stop();
  files.remove();
});

test.concurrent("--version prints the version", async () => {
  const stdout = `aigateway-exporter ${packageJson.version}\n`;
  expect(await runExporter(["--version"])).toEqual({ code: 0, stdout, stderr: "" });
});

test.concurrent("--once prints what /metrics would show", async () => {
  const { code, stdout, stderr } = await runExporter(["--once", configuration], files.environment);
  expect(code).toBe(0);
  const series = seriesOfText(stdout);
  expect(seriesLike(series, /^aigateway_key_up\{/).size).toBe(12);
  expect(seriesLike(series, /^aigateway_analytics_up\{query="\w+"\}/).size).toBe(4);
  // Two keys of the simulated world are refused, which is logged to standard error.
  expect(stderr.split("\n").filter((line) => line.includes("gateway answered 401"))).toHaveLength(2);
});

test.concurrent("an invalid command line ends with exit code 2 and advice", async () => {
  const stderr =
    "unknown option '--web.listen-adress=:1'\n(Did you mean --web.listen-address?)\nSee aigateway-exporter --help\n";
  expect(await runExporter(["--web.listen-adress=:1"])).toEqual({ code: 2, stdout: "", stderr });
});

test.concurrent("an invalid configuration ends with exit code 1 and every problem", async () => {
  const file = join(files.directory, "bad.yaml");
  writeFileSync(
    file,
    JSON.stringify({ keys: [{ name: "Not A Name" }], gateway: { base_url: "nowhere" }, more: true }),
  );
  const { code, stdout, stderr } = await runExporter([`--config.file=${file}`]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  const problems = ["gateway.base_url", "keys[0].name", "keys[0]: has no secret", "more"];
  for (const problem of problems) expect(stderr).toContain(problem);
  expect(stderr.trimEnd().split("\n")).toHaveLength(problems.length);
});

describe.concurrent("the daemon", () => {
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
