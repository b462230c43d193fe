import { describe, expect, onTestFinished, test } from "vitest";
import { check } from "../../../exporter/cli/check.ts";
import { type Options, parseCommandLine } from "../../../exporter/cli/command-line.ts";
import { once } from "../../../exporter/cli/once.ts";
import { run } from "../../../exporter/cli/run.ts";
import { writeExporterFiles } from "../../support/exporter-files.ts";
import { createTerminalDouble } from "./terminal-double.ts";

describe("check()", () => {
  test("prints what a valid configuration contains", async () => {
    const { options, terminal, printed } = setUp();
    expect(await check(options, terminal)).toBe(0);
    expect(printed).toEqual({ stdout: `${options.configFile}: is valid: 1 key\n`, stderr: "" });
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
