import { describe, expect, onTestFinished, test } from "vitest";
import { runCommandLine } from "../../../exporter/cli/command-line/command-line.ts";
import { writeExporterFiles } from "../../support/exporter-files.ts";
import { createTerminalDouble } from "./terminal-double.ts";
import { publishedShard } from "../../support/shards-stage.ts";

describe("check", () => {
  test("prints what a valid configuration contains", async () => {
    const { printed, exporter, files } = setUp();
    expect(await exporter("check")).toBe(0);
    expect(printed).toEqual({
      stdout: [
        `${files.configFile}: is valid: 1 key`,
        "  job    requests  endpoint  every",
        "  1 key  1         key       1m",
        "  key: 1 requests a minute without a limit",
        "",
      ].join("\n"),
      stderr: "",
    });
  });

  test("says that a management key alone watches the keys of the account", async () => {
    const { printed, files, exporter } = setUp();
    files.write({ keys: undefined, analytics: { management_key_env: "KEY_0" } });
    expect(await exporter("check")).toBe(0);
    expect(printed.stdout).toContain(": is valid: the keys of the account, analytics\n");
  });

  test("prints what each shard asks, and the part of the pace that it has", async () => {
    const keys = Array.from({ length: 8 }, (_, index) => ({ name: `key-${index}`, api_key_env: "KEY_0" }));
    const { printed, files, exporter } = setUp();
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
    expect(await exporter("check")).toBe(0);
    expect(printed.stdout).toContain(table);
    files.write({ keys, gateway, shards: 2 });
    printed.stdout = "";
    expect(await exporter("check", "--total-shards=3")).toBe(0);
    expect(printed.stdout).toContain(table);
    expect(await exporter("check", "--total-shards=11")).toBe(1);
    expect(printed.stderr).toContain(
      "gateway.requests_per_minute: 10 cannot be divided among 11 shards; it must be at least 11",
    );
  });

  test("prints every problem of a bad configuration", async () => {
    const { printed, files, exporter } = setUp();
    files.write({ keys: [{ name: "A", api_key_env: "KEY_0" }, { name: "b" }] });
    expect(await exporter("check")).toBe(1);
    expect(printed.stdout).toBe("");
    expect(printed.stderr.split("\n")).toEqual([
      `${files.configFile}: line 1: keys[0].name: "A" does not match [a-z0-9][a-z0-9_.-]{0,63}`,
      `${files.configFile}: line 1: keys[1]: has no secret; set api_key_file or api_key_env`,
      "",
    ]);
  });
});

test("a missing configuration is answered by its flag, unless that was given", async () => {
  const { printed, files, exporter, terminal } = setUp();
  files.remove();
  expect(await exporter("check")).toBe(1);
  expect(printed.stderr).toBe(`${files.configFile}: does not exist\n`);
  expect(await runCommandLine(["check"], terminal)).toBe(1);
  expect(printed.stderr).toContain("unless --config.file names another file\n");
});

test("NODE_TLS_REJECT_UNAUTHORIZED=0 keeps every command from using a gateway over https only", async () => {
  const { printed, files, flags, terminal } = setUp({
    gateway: { base_url: "https://gateway.example/api/v1" },
  });
  const unverified = { ...terminal, env: { ...terminal.env, NODE_TLS_REJECT_UNAUTHORIZED: "0" } };
  expect(await runCommandLine(["check", ...flags], unverified)).toBe(1);
  expect([printed.stdout, printed.stderr]).toEqual([
    "",
    expect.stringContaining("NODE_TLS_REJECT_UNAUTHORIZED=0 lets anyone between"),
  ]);
  files.write({ gateway: UNREACHABLE });
  expect(await runCommandLine(["check", ...flags], unverified)).toBe(0);
});

test("--once prints the exposition, with up 0 for the key of an unreachable gateway", async () => {
  const { printed, exporter } = setUp({
    gateway: { ...UNREACHABLE, deadline: "100ms", timeout: "100ms" },
  });
  expect(await exporter("--once")).toBe(1);
  expect(printed.stdout).toContain('aigateway_key_up{key="billing"} 0\n');
});

describe("without a command", () => {
  test("listens, reloads at a hangup, and stops at a signal", async () => {
    const { untilPrinted, files, hangup, stop, endsAfter, exporter } = setUp();
    const ended = exporter();
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

  test("fails when no interface has one of the addresses", async () => {
    const { printed, exporter } = setUp({}, ["127.0.0.1:0", "192.0.2.1:0"]);
    expect(await exporter()).toBe(1);
    expect(printed.stderr).toContain(
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
    url: UNREACHABLE.base_url,
    tokens: new Map([["billing", "sk-billing"]]),
    content,
  });
  onTestFinished(() => files.remove());
  const double = createTerminalDouble(files.environment);
  const addresses = listen.map((address) => `--web.listen-address=${address}`);
  const flags = [`--config.file=${files.configFile}`, ...addresses];
  const exporter = (...words: readonly string[]) => runCommandLine([...words, ...flags], double.terminal);
  return { ...double, files, flags, exporter };
}
