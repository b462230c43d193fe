import { DEFAULT_PORT } from "../../config/schema.ts";
import { MAX_REQUESTS } from "../../http/limits.ts";
import { LOG_FORMATS, LOG_LEVELS } from "../../log.ts";

/** What `--help` prints. */
export const HELP = `Prometheus exporter for AI gateways: credits, limits and spend of keys, models and apps.

Usage: aigateway-exporter [check | probe NAME | report | backfill | rules | dashboards | completion SHELL] [flags]

Commands:
  (none)      Poll the gateway and serve the metrics.
  check       Check the configuration and the web configuration, print every problem, and exit.
  probe NAME  Run a probe of the configuration once, print its result, and exit. It costs credits.
  report      Ask the gateway for the spend of a month and print it, by team, key, model and more.
  backfill    Write the past that the gateway remembers as files for Prometheus or VictoriaMetrics.
  rules       Print the recording and alert rules for Prometheus.
  dashboards  Write the Grafana dashboards to a folder.
  completion SHELL
              Print a script for bash, zsh or fish that completes commands and flags.

Flags:
  --config.file=aigateway-exporter.yaml  The configuration file.
  --config.auto-reload-interval=0s       How often to look for changes of the configuration and reload it; 0s is never.
  --web.listen-address=:${DEFAULT_PORT}             Address to listen on, host:port; port 0 selects a free one. Repeatable.
  --web.telemetry-path=/metrics          Path of the metrics.
  --web.config.file=FILE                 TLS and basic authentication, as in Prometheus' exporters.
  --web.enable-lifecycle                 Let POST /-/reload reload the configuration.
  --web.allowed-hosts=HOST,...           Serve only requests for these hosts; without it, for any.
  --web.max-requests=${MAX_REQUESTS}                  Maximum number of concurrent scrapes; 0 is unlimited.
  --log.level=info                       One of ${LOG_LEVELS.join(", ")}.
  --log.format=json                      One of ${LOG_FORMATS.join(", ")}.
  --shard=N                              Which shard this process is, from 0; in Kubernetes, the pod's index decides.
  --total-shards=N                       Number of processes that divide the keys; by default the configuration's shards.
  --once                                 Poll everything once, print the metrics, and exit.
  --online                               With check: also ask the gateway once. It costs no credits.
  --force                                Run the probe even if it might exceed max_cost_per_day.
  --month=YYYY-MM                        Month of the report, UTC; otherwise the last full one.
  --last=month                           Report of the last full month, or with --last=week of the last full week.
  --by=team                              Of the report: team, project, cost_center, key, model, app, user or provider.
  --format=FORMAT                        Of the report: markdown (default), svg, csv, json or focus (FinOps FOCUS 1.2).
                                         Of the rules: prometheus (default) or kubernetes (a PrometheusRule).
                                         Of the past: openmetrics (default, for Prometheus), victoria-metrics or
                                         remote-write.
  --runbook-base-url=URL                 Link of the rules to docs/alerts.md or your own page; #alertname is appended.
  --dashboard-base-url=URL               Link of the rules to Grafana, up to the uid: https://grafana.example/d.
  --poll-interval=1m                     Longest time between two polls of a key; likewise --discovery-interval=5m,
                                         --analytics-interval=5m and --probe-interval=1h.
  --output=FOLDER                        Where to write the dashboards, or the past.
  --days=31                              Days of the past, at most 367; the last 31 are known by hour.
  --until=TIME                           When the past ends and the live series begin, UTC; otherwise now.
  --step=5m                              Time between two past samples.
  --instance=HOST:PORT                   Label of the live series; likewise --job=aigateway-exporter
                                         and --gateway=NAME, if the scrape configuration sets it.
  --url=URL                              The server that will store the past: checks its retention, and ends the past
                                         where the live series begin.
  --dry-run                              With backfill: print what it would ask and write.
  --version                              Print the version and exit.
  -h, --help                             Print this help and exit.

Signals: SIGHUP reloads the configuration; SIGTERM and SIGINT stop, a second one at once.
Exit codes: 0 success, 1 failure, 2 usage error.
`;
