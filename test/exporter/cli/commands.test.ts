import { describe, expect, onTestFinished, test } from "vitest";
import { check } from "../../../exporter/cli/check/check.ts";
import { type Options, parseCommandLine } from "../../../exporter/cli/command-line/command-line.ts";
import { once } from "../../../exporter/cli/daemon/once.ts";
import { run } from "../../../exporter/cli/daemon/run.ts";
import { writeExporterFiles } from "../../support/exporter-files.ts";
import { publishedShard } from "../../support/published-shard.ts";
import { createTerminalDouble } from "./terminal-double.ts";

describe("check()", () => {
  test("prints what a valid configuration contains", async () => {
    const { options, terminal, printed } = setUp();
    expect(await check(options, terminal)).toBe(0);
    expect(printed).toEqual({
      stdout: [
        `${options.configFile}: is valid: 1 key`,
        "  job    requests  endpoint  every",
        "  1 key  1         key       1m",
        "  key: 1 requests a minute without a limit",
        "",
      ].join("\n"),
      stderr: "",
    });
  });

  test("prints what each shard asks, and the part of the pace that it has", async () => {
    const keys = Array.from({ length: 8 }, (_, index) => ({ name: `key-${index}`, api_key_env: "KEY_0" }));
    const { options, terminal, printed, files } = setUp();
    const gateway = { base_url: "http://127.0.0.1:9/api/v1", requests_per_minute: 10 };
    files.write({ keys, gateway, shards: 3 });
    const counts = [0, 1, 2].map(
      (shard) => keys.filter(({ name }) => publishedShard(name, 3) === shard).length,
    );
    const table = [
      "  key: 8 requests a minute of at most 10",
      "  shard  keys  key requests a minute  of at most",
      `  0      ${counts[0]}     ${counts[0]}                      4`,
      `  1      ${counts[1]}     ${counts[1]}                      3`,
      `  2      ${counts[2]}     ${counts[2]}                      3`,
      "",
    ].join("\n");
    expect(await check(options, terminal)).toBe(0);
    expect(printed.stdout).toContain(table);
    files.write({ keys, gateway });
    printed.stdout = "";
    expect(await check({ ...options, totalShards: 3 }, terminal)).toBe(0);
    expect(printed.stdout).toContain(table);
    files.write({ keys, gateway, shards: 2 });
    printed.stdout = "";
    expect(await check({ ...options, totalShards: 3 }, terminal)).toBe(0);
    expect(printed.stdout).toContain(table);
    expect(await check({ ...options, totalShards: 11 }, terminal)).toBe(1);
    expect(printed.stderr).toContain(
      "gateway.requests_per_minute: 10 cannot be divided among 11 shards; it must be at least 11",
    );
  });

  test("warns of the shards of another number that cannot poll their keys as often as the schedule wants", async () => {
    const keys = Array.from({ length: 20 }, (_, index) => ({ name: `key-${index}`, api_key_env: "KEY_0" }));
    const { options, terminal, printed, files } = setUp();
    files.write({ keys, gateway: { base_url: "http://127.0.0.1:9/api/v1", requests_per_minute: 20 } });
    const counts = [0, 1, 2].map(
      (shard) => keys.filter(({ name }) => publishedShard(name, 3) === shard).length,
    );
    const slow = [7, 7, 6].flatMap((share, shard) => ((counts[shard] ?? 0) > share ? [shard] : []));
    expect(slow).not.toEqual([]);
    expect(await check({ ...options, totalShards: 3 }, terminal)).toBe(0);
    expect(
      [...printed.stderr.matchAll(/warning: .*: shard (\d): /g)].map(([, shard]) => Number(shard)),
    ).toEqual(slow);
  });

  test("prints every problem of a bad configuration", async () => {
    const { options, terminal, printed, files } = setUp();
    files.write({ keys: [{ name: "A", api_key_env: "KEY_0" }, { name: "b" }] });
    expect(await check(options, terminal)).toBe(1);
    expect(printed.stdout).toBe("");
    expect(printed.stderr.split("\n")).toEqual([
      `${options.configFile}: line 1: keys[0].name: "A" does not match [a-z0-9][a-z0-9_.-]{0,63}`,
      `${options.configFile}: line 1: keys[1]: has no secret; set api_key_file or api_key_env`,
      "",
    ]);
  });
});

describe("NODE_TLS_REJECT_UNAUTHORIZED=0", () => {
  const UNVERIFIED = { NODE_TLS_REJECT_UNAUTHORIZED: "0" };

  test.each([
    ["check", check],
    ["once", once],
    ["run", run],
  ] as const)("keeps %s from using a gateway over https", async (_name, command) => {
    const { options, terminal, printed } = setUp({ gateway: { base_url: "https://gateway.example/api/v1" } });
    expect(await command(options, { ...terminal, env: { ...terminal.env, ...UNVERIFIED } })).toBe(1);
    expect(printed.stdout).toBe("");
    expect(printed.stderr).toContain("NODE_TLS_REJECT_UNAUTHORIZED=0 lets anyone between");
  });

  test("does not matter for a gateway on the same machine over http, and neither does 1", async () => {
    const { options, terminal } = setUp();
    expect(await check(options, { ...terminal, env: { ...terminal.env, ...UNVERIFIED } })).toBe(0);
    const secure = setUp({ gateway: { base_url: "https://gateway.example/api/v1" } });
    const env = { ...secure.terminal.env, NODE_TLS_REJECT_UNAUTHORIZED: "1" };
    expect(await check(secure.options, { ...secure.terminal, env })).toBe(0);
  });
});

describe("once()", () => {
  test("prints the exposition, with up 0 for the key of an unreachable gateway", async () => {
    const { options, terminal, printed } = setUp({
      gateway: { ...UNREACHABLE, deadline: "100ms", timeout: "100ms" },
    });
    expect(await once(options, terminal)).toBe(1);
    expect(printed.stdout).toContain('aigateway_key_up{key="billing"} 0\n');
  });

  test("fails when the configuration is bad", async () => {
    const { options, terminal, printed } = setUp({ keys: [] });
    expect(await once(options, terminal)).toBe(1);
    expect(printed.stdout).toBe("");
    expect(printed.stderr).toContain("nothing to poll; set");
  });
});

describe("run()", () => {
  test("listens, reloads at a hangup, and stops at a signal", async () => {
    const { options, terminal, untilPrinted, files, hangup, stop, endsAfter } = setUp();
    const ended = run(options, terminal);
    await untilPrinted("Listening");
    files.write({ series_limit: 7 });
    hangup();
    await untilPrinted("Configuration reloaded");
    files.write("keys: []");
    hangup();
    await untilPrinted("Cannot reload; the running configuration is unchanged");
    stop();
    await untilPrinted("Stopping");
    expect(await ended).toBe(0);
    expect(endsAfter).toEqual([8000]);
  });

  test("fails when the configuration is bad, and does not listen", async () => {
    const { options, terminal, printed } = setUp({ keys: [] });
    expect(await run(options, terminal)).toBe(1);
    expect(messages(printed.stderr)).not.toContain("Listening");
  });

  test("listens on every address, with a line for each", async () => {
    const { options, terminal, untilPrinted, printed, stop } = setUp({}, ["127.0.0.1:0", "localhost:0"]);
    const ended = run(options, terminal);
    await untilPrinted("Listening");
    stop();
    expect(await ended).toBe(0);
    const urls = printed.stderr.match(/"url":"[^"]*"/g) ?? [];
    expect(urls).toHaveLength(2);
    expect(new Set(urls).size).toBe(2);
  });

  test("fails when no interface has one of the addresses", async () => {
    const { options, terminal, printed } = setUp({}, ["127.0.0.1:0", "192.0.2.1:0"]);
    expect(await run(options, terminal)).toBe(1);
    expect(messages(printed.stderr)).toContain(
      "Cannot listen on 192.0.2.1:0 (--web.listen-address): no interface of this machine has this address",
    );
  });
});

const UNREACHABLE = { base_url: "http://127.0.0.1:1" };

function setUp(
  content: Parameters<typeof writeExporterFiles>[0]["content"] = {},
  listen: readonly string[] = ["127.0.0.1:0"],
) {
  const files = writeExporterFiles({
    gatewayUrl: UNREACHABLE.base_url,
    tokens: new Map([["billing", "sk-billing"]]),
    content,
  });
  onTestFinished(() => files.remove());
  const double = createTerminalDouble(files.environment);
  return { ...double, files, options: optionsOf(files.configFile, listen) };
}

function optionsOf(configFile: string, listen: readonly string[]): Options {
  const addresses = listen.map((address) => `--web.listen-address=${address}`);
  const line = parseCommandLine([`--config.file=${configFile}`, ...addresses]);
  if (line.command !== "run") throw new Error(`Unexpected command ${line.command}`);
  return line.options;
}

/** The messages of the log. */
function messages(log: string): readonly string[] {
  return log
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const event: unknown = JSON.parse(line);
      return typeof event === "object" && event !== null && "msg" in event ? String(event.msg) : "";
    });
}
