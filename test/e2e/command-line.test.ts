import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { type Gateway, createGateway } from "../gateway/gateway.ts";
import { type ExporterFiles, writeExporterFiles } from "../support/exporter-files.ts";
import { runExporter, startExporter } from "../support/exporter-process.ts";
import { seriesLike, seriesName, seriesOfText } from "../support/series.ts";
import { until } from "../support/until.ts";
import { dayStart } from "../gateway/windows.ts";

/** Exactly the series that these keys must have, from the gateway's books as they are now. */
function expectedKeySeries(gateway: Gateway, names: Iterable<string>): Map<string, number> {
  const at = gateway.clock.now();
  const freeRequests = gateway.switches.extraKeyFields ? freeRequestsToday(gateway, at) : undefined;
  return new Map([...names].flatMap((name) => [...aboutKey(gateway, name, at, freeRequests)]));
}

function aboutKey(
  gateway: Gateway,
  name: string,
  at: number,
  freeRequests: number | undefined,
): Map<string, number> {
  const series = new Map<string, number>();
  const put = (metric: string, value: number | null, labels: Readonly<Record<string, string>> = {}): void => {
    if (value !== null) series.set(seriesName(`aigateway_key_${metric}`, { key: name, ...labels }), value);
  };
  const { disabled, expiresAt, freeTier, includeByokInLimit } = gateway.world.key(name);
  const isRefused = disabled || (expiresAt !== null && expiresAt <= at);
  put("info", 1);
  put("owner_info", 1);
  put("up", Number(!isRefused));
  put("unauthorized", Number(isRefused));
  if (isRefused) return series;
  const { credits, limitReset, window } = gateway.books.key(name);
  put("unlimited", Number(credits.limit === null));
  put("limit_credits", credits.limit);
  put("limit_remaining_credits", credits.remaining);
  for (const state of ["never", "daily", "weekly", "monthly", "other"]) {
    put("limit_reset", Number(state === (limitReset ?? "never")), { aigateway_key_limit_reset: state });
  }
  if (window.end !== null) {
    put("limit_next_reset_timestamp_seconds", window.end / 1000);
    put("limit_window_start_timestamp_seconds", window.start / 1000);
  }
  put("usage_credits", credits.usage.total);
  put("byok_usage_credits", credits.byok.total);
  for (const period of ["day", "week", "month"] as const) {
    put(`usage_${period}_credits`, credits.usage[period]);
    put(`byok_usage_${period}_credits`, credits.byok[period]);
  }
  put("byok_in_limit", Number(includeByokInLimit));
  put("free_tier", Number(freeTier));
  if (freeRequests !== undefined) {
    put("expiry_timestamp_seconds", expiresAt === null ? null : expiresAt / 1000);
    put("free_requests_day_limit", FREE_REQUESTS_A_DAY);
    put("free_requests_day_used", freeRequests);
    put("free_requests_day_remaining", Math.max(0, FREE_REQUESTS_A_DAY - freeRequests));
  }
  return series;
}

/** Contract 8: for an account that has bought credits. */
const FREE_REQUESTS_A_DAY = 1000;

/** Traffic is counted at the beginning of its slot, so it includes entries of the next minutes (test/gateway/README.md). */
function freeRequestsToday(gateway: Gateway, at: number): number {
  const today = [...gateway.books.entries(Number.POSITIVE_INFINITY)].filter(
    (entry) => entry.route.model.free && dayStart(entry.at) === dayStart(at),
  );
  return today.reduce((sum, { requests }) => sum + requests, 0);
}

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

test.concurrent("--version prints the version", async () => {
  const stdout = `aigateway-exporter ${packageJson.version}\n`;
  expect(await runExporter(["--version"])).toEqual({ code: 0, stdout, stderr: "" });
});

test.concurrent("--once prints what /metrics would show", async () => {
  const { code, stdout, stderr } = await runExporter(["--once", configuration], files.environment);
  expect(code).toBe(0);
  const series = seriesOfText(stdout);
  const expected = seriesLike(expectedKeySeries(gateway, gateway.tokens.keys()), LASTING);
  expect(seriesLike(series, LASTING)).toEqual(expected);
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
  test("ends with exit code 1 and a message if its port is in use", async () => {
    const busy = new URL(gateway.url).host;
    const { code, stderr } = await runExporter(
      [configuration, `--web.listen-address=${busy}`],
      files.environment,
    );
    expect(code).toBe(1);
    expect(stderr).toContain(`Cannot listen on ${busy} (--web.listen-address): the address is in use`);
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
