import { describe, expect, test } from "vitest";
import type { Options } from "../../../exporter/cli/command-line/program.ts";
import { DEFAULT_PORT } from "../../../exporter/config/schema.ts";
import { calledCommand } from "./terminal-double.ts";

const DEFAULTS: Options = {
  autoReloadIntervalMs: 0,
  configFile: "aigateway-exporter.yaml",
  listen: [{ host: undefined, port: DEFAULT_PORT }],
  routePrefix: "",
  telemetryPath: "/metrics",
  webConfigFile: undefined,
  enableLifecycle: false,
  allowedHosts: [],
  maxRequests: 40,
  logLevel: "info",
  logFormat: "json",
};
const REQUEST = {
  days: 31,
  untilMs: undefined,
  stepMs: 300_000,
  format: "openmetrics",
  job: "aigateway-exporter",
  instance: "a:1",
  gateway: "",
} as const;
const run = (options: Partial<Options>) => ["run", { ...DEFAULTS, ...options }];

describe("runCommandLine()", () => {
  test.each([
    ["", run({})],
    ["--once", ["once", DEFAULTS]],
    ["check", ["check", DEFAULTS, false]],
    ["check --online --config.file a", ["check", { ...DEFAULTS, configFile: "a" }, true]],
    ["probe --force short", ["probe", { name: "short", force: true }, DEFAULTS]],
    [
      "report --last=week --by app,team --format=focus --provider=Acme",
      ["report", { last: "week", by: ["app", "team"], format: "focus", provider: "Acme" }, DEFAULTS],
    ],
    [
      "rules --format=kubernetes --config=alerts.yaml --runbook-base-url=https://wiki.example/a.md --dashboard-base-url https://grafana.example/d/ --probe-interval=1500ms",
      [
        "printRules",
        "kubernetes",
        {
          runbookBaseUrl: "https://wiki.example/a.md",
          dashboardBaseUrl: "https://grafana.example/d",
          probeIntervalSeconds: 2,
        },
        "alerts.yaml",
      ],
    ],
    ["dashboards --output=out", ["writeDashboards", "out"]],
    [
      "backfill --output=out --instance=a:1",
      ["backfill", { request: REQUEST, output: "out", url: undefined, isDryRun: false }, DEFAULTS],
    ],
    [
      "backfill --dry-run --instance=a:1 --url=http://a:b@host/prometheus/ --format=victoria-metrics --days=367 --until=2026-11-18T08:30:00Z --step=1h --job=j --gateway=g",
      [
        "backfill",
        {
          request: {
            ...REQUEST,
            days: 367,
            untilMs: Date.UTC(2026, 10, 18, 8, 30),
            stepMs: 3_600_000,
            format: "victoria-metrics",
            job: "j",
            gateway: "g",
          },
          output: "",
          url: "http://a:b@host/prometheus",
          isDryRun: true,
        },
        DEFAULTS,
      ],
    ],
    [
      "--config.auto-reload-interval=1m30s --log.level=debug --log.format=logfmt --web.telemetry-path=/account/metrics",
      run({
        autoReloadIntervalMs: 90_000,
        logLevel: "debug",
        logFormat: "logfmt",
        telemetryPath: "/account/metrics",
      }),
    ],
    [
      "--web.config.file=w.yaml --web.enable-lifecycle --web.max-requests=0 --shard=2 --total-shards=3",
      run({ webConfigFile: "w.yaml", enableLifecycle: true, maxRequests: 0, shard: 2, totalShards: 3 }),
    ],
    ["--web.config.file= --web.allowed-hosts=", run({})],
    [
      "--web.allowed-hosts=Exporter.example,10.0.0.1,[::1]",
      run({ allowedHosts: ["exporter.example", "10.0.0.1", "[::1]"] }),
    ],
    [
      "--web.listen-address=localhost:65535 --web.listen-address [::1]:0",
      run({
        listen: [
          { host: "localhost", port: 65_535 },
          { host: "::1", port: 0 },
        ],
      }),
    ],
  ])("%s", async (line, expected) => {
    const { code, called } = await calledCommand(line.split(" ").filter(Boolean));
    expect({ code, called }).toEqual({ code: 0, called: expected });
  });

  test.each([
    ["chek", "unknown command 'chek'\n(Did you mean check?)"],
    [
      "simulate --port=1",
      "The command simulate is only in the npm package, and must be the first argument. In a checkout, use npm run demo",
    ],
    ["probe", "missing required argument 'name'"],
    ["-config.file a", "unknown option '-config.file'\n(Did you mean --config.file?)"],
    [
      "check --config=a",
      "unknown option '--config=a'\n(Did you mean --config.file or --config.auto-reload-interval?)",
    ],
    ["-config.file=a.yaml", "unknown option '-config.file=a.yaml'\n(Did you mean --config.file?)"],
    [
      "check a.yaml",
      "too many arguments for 'check'. Expected 0 arguments but got 1: a.yaml.\n(Did you mean --config.file a.yaml?)",
    ],
    ["-v", "unknown option '-v'\n(Did you mean --version?)"],
    ["help chek", "unknown command 'chek'\n(Did you mean check?)"],
    ["prod.yml", "unknown command 'prod.yml'\n(Did you mean --config.file prod.yml?)"],
    ["--nonsense", "unknown option '--nonsense'"],
    ["--online", "unknown option '--online'\n(It belongs to the command check)"],
    ["rules --output=x", "unknown option '--output=x'\n(It belongs to the command backfill or dashboards)"],
    [
      "report --by=planet",
      'Cannot divide by "planet" (--by): expected one or two of team, project, cost_center, key, model, app, user, provider, such as team,key',
    ],
    [
      "report --by=team,kye",
      'Cannot divide by "team,kye" (--by): expected one or two of team, project, cost_center, key, model, app, user, provider, such as team,key\n(Did you mean key?)',
    ],
    ["report --decimal=comma", "--decimal is for --format=csv only, not for markdown"],
    ["report --totals=row", "--totals is for --format=csv only, not for markdown"],
    ["report --publisher=Acme --format=csv", "--publisher is for --format=focus only, not for csv"],
    ["backfill --instance=a:1", "The command backfill needs --output=FOLDER, or --dry-run"],
    ["backfill --output=x", "required option '--instance <host:port>' not specified"],
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
    ...["localhost:9090", "http://secret@host/?x=1"].map((url): [string, string] => [
      `backfill --dry-run --instance=a:1 --url=${url}`,
      "Cannot ask the server (--url): expected a URL without query and fragment, such as http://localhost:9090",
    ]),
    [
      "backfill --dry-run --instance=a:1 --url=http://user:100%@host",
      "Cannot ask the server (--url): write % as %25 in its user and password",
    ],
    [
      `rules --probe-interval=100ms`,
      `Cannot use the interval "100ms" (--probe-interval): expected a duration from 1s to 1d, such as 5m`,
    ],
    [
      `rules --runbook-base-url=https://grafana.example/d?orgId=1`,
      `Cannot link to "https://grafana.example/d?orgId=1" (--runbook-base-url): expected a URL without query and fragment, such as https://wiki.example/alerts.md`,
    ],
    ...["500ms", "often"].map((text): [string, string] => [
      `--config.auto-reload-interval=${text}`,
      `Cannot look for changes every "${text}" (--config.auto-reload-interval): expected a duration from 1s to 1d, or 0s to reload on request only`,
    ]),
    [
      `--web.max-requests=many`,
      `Unknown value "many" of --web.max-requests: expected an integer from 0 to 999999`,
    ],
    [
      "--shard=3 --total-shards=3",
      "Unknown shard 3 (--shard): expected an integer from 0 to 2, because --total-shards is 3",
    ],
    ["--total-shards=0", 'Unknown value "0" of --total-shards: expected an integer from 1 to 1024'],
    ...["a:9853", "::1"].map((host): [string, string] => [
      `--web.allowed-hosts=b,${host}`,
      `Cannot serve the host "${host}" (--web.allowed-hosts): expected names or addresses without port, separated by commas, such as exporter.example,[::1]`,
    ]),
    ...["nowhere", ":65536"].map((address): [string, string] => [
      `--web.listen-address=:1 --web.listen-address=${address}`,
      `Cannot listen on "${address}" (--web.listen-address): expected host:port, such as :9853 or 127.0.0.1:9853`,
    ]),
    ...["/", "/-/ready", "/models/x", "/apps"].map((path): [string, string] => [
      `--web.telemetry-path=${path}`,
      `Cannot serve metrics at "${path}" (--web.telemetry-path): expected a path other than /, /-/…, /api/… and those of pages (/keys/…, /account, /models, /apps), such as /metrics`,
    ]),
  ])("%s is a usage error", async (line, message) => {
    expect(await calledCommand(line.split(" "))).toEqual({
      code: 2,
      called: [],
      stdout: "",
      stderr: `${message}\nSee aigateway-exporter --help\n`,
    });
  });

  test.each([
    ["--help", "--web.listen-address", 24],
    ["--help-long", "--web.max-requests", 50],
    ["check --help", "--online", 24],
    ["help backfill", "--until", 24],
    ["--version", "aigateway-exporter 1.2.3\n", 1],
  ])("%s prints a text that fits a screen", async (line, text, most) => {
    const { code, stdout } = await calledCommand(line.split(" "));
    expect(code).toBe(0);
    expect(stdout).toContain(text);
    expect(stdout.trimEnd().split("\n").length).toBeLessThanOrEqual(most);
  });
});
