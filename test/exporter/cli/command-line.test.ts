import { describe, expect, test } from "vitest";
import { type Options, parseCommandLine } from "../../../exporter/cli/command-line/command-line.ts";
import { UsageError } from "../../../exporter/cli/command-line/usage-error.ts";
import { HELP } from "../../../exporter/cli/command-line/help.ts";
import { DEFAULT_PORT } from "../../../exporter/config/schema.ts";
import { DEFAULT_OPTIONS } from "./default-options.ts";

const DEFAULTS: Options = {
  ...DEFAULT_OPTIONS,
  configFile: "aigateway-exporter.yaml",
  listen: [{ host: undefined, port: DEFAULT_PORT }],
};

describe("parseCommandLine()", () => {
  test.each<[string, ReturnType<typeof parseCommandLine>]>([
    ["", { command: "run", options: DEFAULTS }],
    ["check", { command: "check", isOnline: false, options: DEFAULTS }],
    ["check --online", { command: "check", isOnline: true, options: DEFAULTS }],
    ["--once", { command: "once", options: DEFAULTS }],
    ["--config.auto-reload-interval=0s", { command: "run", options: DEFAULTS }],
    [
      "--config.auto-reload-interval=1m30s",
      { command: "run", options: { ...DEFAULTS, autoReloadIntervalMs: 90_000 } },
    ],
    ["probe short", { command: "probe", name: "short", force: false, options: DEFAULTS }],
    ["probe --force short", { command: "probe", name: "short", force: true, options: DEFAULTS }],
    ["rules", { command: "rules", format: "prometheus", ruleOptions: {} }],
    [
      "rules --format=kubernetes --runbook-base-url=https://wiki.example/a.md --dashboard-base-url https://grafana.example/d/ --poll-interval=5m --discovery-interval=10m --analytics-interval=1500ms --probe-interval=1h",
      {
        command: "rules",
        format: "kubernetes",
        ruleOptions: {
          runbookBaseUrl: "https://wiki.example/a.md",
          dashboardBaseUrl: "https://grafana.example/d",
          pollIntervalSeconds: 300,
          discoveryIntervalSeconds: 600,
          analyticsIntervalSeconds: 2,
          probeIntervalSeconds: 3600,
        },
      },
    ],
    ["dashboards --output=out", { command: "dashboards", output: "out" }],
    ["completion fish", { command: "completion", shell: "fish" }],
    [
      "backfill --output=out --instance=a:1",
      {
        command: "backfill",
        request: {
          days: 31,
          untilMs: undefined,
          stepMs: 300_000,
          format: "openmetrics",
          job: "aigateway-exporter",
          instance: "a:1",
          gateway: "",
        },
        output: "out",
        url: undefined,
        isDryRun: false,
        options: DEFAULTS,
      },
    ],
    [
      "backfill --dry-run --instance=a:1 --url=http://a:b@host/prometheus/ --format=victoria-metrics --days=367 --until=2026-11-18T08:30:00Z --step=1h --job=j --gateway=g",
      {
        command: "backfill",
        request: {
          days: 367,
          untilMs: Date.UTC(2026, 10, 18, 8, 30),
          stepMs: 3_600_000,
          format: "victoria-metrics",
          job: "j",
          instance: "a:1",
          gateway: "g",
        },
        output: "",
        url: "http://a:b@host/prometheus",
        isDryRun: true,
        options: DEFAULTS,
      },
    ],
    ["--help", { command: "help" }],
    ["-h", { command: "help" }],
    ["check --help", { command: "help" }],
    ["--version", { command: "version" }],
    ["--config.file=a.yaml", { command: "run", options: { ...DEFAULTS, configFile: "a.yaml" } }],
    [
      "check --config.file a.yaml",
      { command: "check", isOnline: false, options: { ...DEFAULTS, configFile: "a.yaml" } },
    ],
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
    [
      "chek",
      'Unknown command "chek": expected check, probe, report, backfill, rules, dashboards, completion',
    ],
    [
      "simulate",
      "The command simulate is only in the npm package, and must be the first argument. In a checkout, use npm run demo",
    ],
    ["probe", "The command probe needs the name of a probe"],
    ["completion", "The command completion needs the name of a shell: bash, zsh, fish"],
    ["completion csh", "The command completion needs the name of a shell: bash, zsh, fish"],
    ["completion zsh fish", 'Unexpected argument "fish"'],
    ["probe a b", 'Unexpected argument "b"'],
    ["probe a --once", "--once does not apply to the command probe"],
    ["--force", "--force applies to the command probe only"],
    ["check one two", 'Unexpected argument "one two"'],
    ["check --once", "--once does not apply to the command check"],
    ["--nonsense", "Unknown option '--nonsense'"],
    ["--config.file", "Option '--config.file <value>' argument missing"],
    ["--online", "--online applies to the command check only"],
    ["rules extra", 'Unexpected argument "extra"'],
    ["check --format=prometheus", "--format applies to the command rules or report or backfill only"],
    ["--month=2026-10", "--month applies to the command report only"],
    ["rules --by=team", "--by applies to the command report only"],
    [
      "report --by=planet",
      'Unknown value "planet" of --by: expected team, project, cost_center, key, model, app, user, provider',
    ],
    [
      "report --format=kubernetes",
      'Unknown value "kubernetes" of --format: expected markdown, svg, csv, json, focus',
    ],
    ["report --last=year", 'Unknown value "year" of --last: expected month, week'],
    ["report --last=week --month=2026-10", "--month and --last cannot be combined: give one"],
    ["--poll-interval=5m", "--poll-interval applies to the command rules only"],
    ["rules --output=x", "--output applies to the command dashboards or backfill only"],
    ["dashboards", "The command dashboards needs --output=FOLDER"],
    ["backfill --instance=a:1", "The command backfill needs --output=FOLDER, or --dry-run"],
    [
      "backfill --output=x",
      "The command backfill needs --instance=HOST:PORT, the label that Prometheus gives to the live series",
    ],
    [
      "backfill --dry-run --instance=a:1 --days=368",
      'Cannot backfill "368" days (--days): expected a number from 1 to 367, as far as gateways remember',
    ],
    [
      "backfill --dry-run --instance=a:1 --until=tomorrow",
      'Cannot end at "tomorrow" (--until): expected a UTC time such as 2026-11-18T08:30:00Z',
    ],
    [
      "backfill --dry-run --instance=a:1 --step=7m",
      'Cannot write a sample every "7m" (--step): expected a duration from 1m that divides a day, such as 5m or 1h',
    ],
    ...["localhost:9090", "ftp://host", "http://secret@host/?x=1"].map((url): [string, string] => [
      `backfill --dry-run --instance=a:1 --url=${url}`,
      "Cannot ask the server (--url): expected a URL without query and fragment, such as http://localhost:9090",
    ]),
    [
      "backfill --dry-run --instance=a:1 --url=http://user:100%@host",
      "Cannot ask the server (--url): write % as %25 in its user and password",
    ],
    [
      "backfill --dry-run --instance=a:1 --format=influx",
      'Unknown value "influx" of --format: expected openmetrics, victoria-metrics, remote-write',
    ],
    ["check --url=http://host", "--url applies to the command backfill only"],
    ["report --days=3", "--days applies to the command backfill only"],
    ["--dry-run", "--dry-run applies to the command backfill only"],
    ["rules --format=xml", 'Unknown value "xml" of --format: expected prometheus, kubernetes'],
    [
      "rules --poll-interval=soon",
      'Cannot use the interval "soon" (--poll-interval): expected a duration from 1s to 1d, such as 5m',
    ],
    [
      "rules --probe-interval=100ms",
      'Cannot use the interval "100ms" (--probe-interval): expected a duration from 1s to 1d, such as 5m',
    ],
    [
      "rules --runbook-base-url=wiki/alerts",
      'Cannot link to "wiki/alerts" (--runbook-base-url): expected a URL without query and fragment, such as https://wiki.example/alerts.md',
    ],
    [
      "rules --dashboard-base-url=https://grafana.example/d?orgId=1",
      'Cannot link to "https://grafana.example/d?orgId=1" (--dashboard-base-url): expected a URL without query and fragment, such as https://wiki.example/alerts.md',
    ],
    ["--once=yes", "Option '--once' does not take an argument"],
    ["--log.level=loud", 'Unknown value "loud" of --log.level: expected debug, info, warn, error'],
    ...["0", "500ms", "2d", "often", ""].map((text): [string, string] => [
      `--config.auto-reload-interval=${text}`,
      `Cannot look for changes every "${text}" (--config.auto-reload-interval): expected a duration from 1s to 1d, or 0s to reload on request only`,
    ]),
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
      'Cannot serve metrics at "/-/ready" (--web.telemetry-path): expected a path other than /, /-/…, /api/… and those of pages (/keys/…, /account, /models, /apps), such as /metrics',
    ],
    [
      "--web.telemetry-path=/api/v1/status",
      'Cannot serve metrics at "/api/v1/status" (--web.telemetry-path): expected a path other than /, /-/…, /api/… and those of pages (/keys/…, /account, /models, /apps), such as /metrics',
    ],
    ...["/account", "/models", "/models/x", "/apps", "/apps/x", "/keys/x"].map((path) => [
      `--web.telemetry-path=${path}`,
      `Cannot serve metrics at "${path}" (--web.telemetry-path): expected a path other than /, /-/…, /api/… and those of pages (/keys/…, /account, /models, /apps), such as /metrics`,
    ]),
    [
      "--web.telemetry-path=/",
      'Cannot serve metrics at "/" (--web.telemetry-path): expected a path other than /, /-/…, /api/… and those of pages (/keys/…, /account, /models, /apps), such as /metrics',
    ],
  ])("%s is a usage error", (line, message) => {
    expect(() => parseCommandLine(line.split(" "))).toThrow(new UsageError(message));
  });

  test.each(["/accounts", "/account/metrics", "/modelsX", "/keys", "/metrics"])(
    "metrics can be at %s",
    (path) => {
      expect(parseCommandLine([`--web.telemetry-path=${path}`])).toMatchObject({
        options: { telemetryPath: path },
      });
    },
  );

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

  test("HELP aligns the descriptions of the flags", () => {
    const [, flags = ""] = /\nFlags:\n(.*?)\n\n/s.exec(HELP) ?? [];
    const columns = flags.split("\n").map((line) => /^ {2}(?:-.*?)? {2,}(?=\S)/.exec(line)?.[0].length);
    expect(columns.length).toBeGreaterThan(30);
    expect(new Set(columns).size).toBe(1);
  });
});
