import { describe, expect, test } from "vitest";
import { HELP, type Options, parseCommandLine, UsageError } from "../../../exporter/cli/command-line.ts";
import { DEFAULT_PORT } from "../../../exporter/config/schema.ts";

const DEFAULTS: Options = {
  configFile: "aigateway-exporter.yaml",
  listen: [{ host: undefined, port: DEFAULT_PORT }],
  telemetryPath: "/metrics",
  webConfigFile: undefined,
  enableLifecycle: false,
  allowedHosts: [],
  maxRequests: 40,
  logLevel: "info",
  logFormat: "json",
};

describe("parseCommandLine()", () => {
  test.each<[string, ReturnType<typeof parseCommandLine>]>([
    ["", { command: "run", options: DEFAULTS }],
    ["check", { command: "check", options: DEFAULTS }],
    ["--once", { command: "once", options: DEFAULTS }],
    ["probe short", { command: "probe", name: "short", force: false, options: DEFAULTS }],
    ["probe --force short", { command: "probe", name: "short", force: true, options: DEFAULTS }],
    ["--help", { command: "help" }],
    ["-h", { command: "help" }],
    ["check --help", { command: "help" }],
    ["--version", { command: "version" }],
    ["--config.file=a.yaml", { command: "run", options: { ...DEFAULTS, configFile: "a.yaml" } }],
    ["check --config.file a.yaml", { command: "check", options: { ...DEFAULTS, configFile: "a.yaml" } }],
    [
      "--log.level=debug --log.format=logfmt",
      { command: "run", options: { ...DEFAULTS, logLevel: "debug", logFormat: "logfmt" } },
    ],
    [
      "--web.config.file=w.yaml --web.enable-lifecycle --web.max-requests=0",
      {
        command: "run",
        options: { ...DEFAULTS, webConfigFile: "w.yaml", enableLifecycle: true, maxRequests: 0 },
      },
    ],
    [
      "--web.allowed-hosts=Exporter.example,10.0.0.1,[::1]",
      {
        command: "run",
        options: { ...DEFAULTS, allowedHosts: ["exporter.example", "10.0.0.1", "[::1]"] },
      },
    ],
    ["--web.allowed-hosts=", { command: "run", options: DEFAULTS }],
    ["--web.config.file=", { command: "run", options: DEFAULTS }],
    ["--web.telemetry-path=/m/x", { command: "run", options: { ...DEFAULTS, telemetryPath: "/m/x" } }],
  ])("%s", (line, expected) => {
    expect(parseCommandLine(line.split(" ").filter(Boolean))).toEqual(expected);
  });

  test.each([
    [":0", undefined, 0],
    ["127.0.0.1:9000", "127.0.0.1", 9000],
    ["localhost:65535", "localhost", 65_535],
    ["[::1]:9000", "::1", 9000],
  ])("listens on %s", (address, host, port) => {
    expect(parseCommandLine([`--web.listen-address=${address}`])).toMatchObject({
      options: { listen: [{ host, port }] },
    });
  });

  test("listens on every given address, in order", () => {
    const line = ["--web.listen-address=127.0.0.1:9000", "--web.listen-address", "[::1]:9001"];
    expect(parseCommandLine(line)).toMatchObject({
      options: {
        listen: [
          { host: "127.0.0.1", port: 9000 },
          { host: "::1", port: 9001 },
        ],
      },
    });
  });

  test.each([
    ["chek", 'Unknown command "chek": expected check or probe'],
    ["probe", "The command probe needs the name of a probe"],
    ["probe a b", 'Unexpected argument "b"'],
    ["probe a --once", "Cannot probe and poll once: --once does not apply to probe"],
    ["--force", "--force applies to the command probe only"],
    ["check one two", 'Unexpected argument "one two"'],
    ["check --once", "Cannot check and poll once: --once does not apply to check"],
    ["--nonsense", "Unknown option '--nonsense'"],
    ["--config.file", "Option '--config.file <value>' argument missing"],
    ["--once=yes", "Option '--once' does not take an argument"],
    ["--log.level=loud", 'Unknown value "loud" of --log.level: expected debug, info, warn, error'],
    [
      "--web.max-requests=-1",
      'Cannot limit scrapes to "-1" (--web.max-requests): expected an integer from 0 to 999999',
    ],
    [
      "--web.max-requests=many",
      'Cannot limit scrapes to "many" (--web.max-requests): expected an integer from 0 to 999999',
    ],
    [
      "--web.allowed-hosts=a:9853",
      'Cannot serve the host "a:9853" (--web.allowed-hosts): expected names or addresses without port, separated by commas, such as exporter.example,[::1]',
    ],
    [
      "--web.allowed-hosts=a,,b",
      'Cannot serve the host "" (--web.allowed-hosts): expected names or addresses without port, separated by commas, such as exporter.example,[::1]',
    ],
    [
      "--web.allowed-hosts=http://a",
      'Cannot serve the host "http://a" (--web.allowed-hosts): expected names or addresses without port, separated by commas, such as exporter.example,[::1]',
    ],
    [
      "--web.allowed-hosts=*",
      'Cannot serve the host "*" (--web.allowed-hosts): expected names or addresses without port, separated by commas, such as exporter.example,[::1]',
    ],
    [
      "--web.allowed-hosts=::1",
      'Cannot serve the host "::1" (--web.allowed-hosts): expected names or addresses without port, separated by commas, such as exporter.example,[::1]',
    ],
    ["--config.file=a --config.file=b", "--config.file is given more than once: give it once"],
    ["check --config.file a --config.file a", "--config.file is given more than once: give it once"],
    [
      "--web.telemetry-path=/a --web.telemetry-path=/b",
      "--web.telemetry-path is given more than once: give it once",
    ],
    ["--once --once", "--once is given more than once: give it once"],
    [
      "--web.listen-address=:1 --web.listen-address=nowhere",
      'Cannot listen on "nowhere" (--web.listen-address): expected host:port, such as :9853 or 127.0.0.1:9853',
    ],
    ["--log.format=xml", 'Unknown value "xml" of --log.format: expected json, logfmt'],
    [
      "--web.listen-address=9853",
      'Cannot listen on "9853" (--web.listen-address): expected host:port, such as :9853 or 127.0.0.1:9853',
    ],
    [
      "--web.listen-address=:65536",
      'Cannot listen on ":65536" (--web.listen-address): expected host:port, such as :9853 or 127.0.0.1:9853',
    ],
    [
      "--web.listen-address=::1:9853",
      'Cannot listen on "::1:9853" (--web.listen-address): expected host:port, such as :9853 or 127.0.0.1:9853',
    ],
    [
      "--web.telemetry-path=/-/ready",
      'Cannot serve metrics at "/-/ready" (--web.telemetry-path): expected a path other than / and /-/…, such as /metrics',
    ],
    [
      "--web.telemetry-path=/",
      'Cannot serve metrics at "/" (--web.telemetry-path): expected a path other than / and /-/…, such as /metrics',
    ],
  ])("%s is a usage error", (line, message) => {
    expect(() => parseCommandLine(line.split(" "))).toThrow(new UsageError(message));
  });

  test("HELP names every flag with its default", () => {
    for (const flag of [
      "config.file",
      "web.listen-address",
      "web.telemetry-path",
      "log.level",
      "log.format",
    ]) {
      expect(HELP).toContain(`--${flag}=`);
    }
    expect(HELP).toContain(`:${DEFAULT_PORT} `);
  });
});
