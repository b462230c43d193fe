import { counter, gauge, histogram, info } from "./family.ts";

/** The exporter's own metrics. Each part of the exporter creates those that it updates (`self-registry.ts`). */
export const selfFamilies = {
  buildInfo: info({
    name: "aigateway_exporter_build_info",
    help: "Always 1; the running version.",
    labels: ["version", "revision", "nodeversion"],
  }),
  keys: gauge({
    name: "aigateway_exporter_keys",
    help: "Configured keys that this process polls: all of them, or those of its shard.",
  }),
  shards: gauge({
    name: "aigateway_exporter_shards",
    help: "Number of processes among which the keys are divided (shards of the configuration), with the shard that this process is, from 0.",
    labels: ["shard"],
  }),
  series: gauge({
    name: "aigateway_exporter_series",
    help: "Series about keys and analytics that the exporter holds.",
  }),
  seriesLimit: gauge({
    name: "aigateway_exporter_series_limit",
    help: "Maximum number of series that the exporter holds (series_limit of the configuration). An answer that would exceed it is rejected entirely.",
  }),
  refusedAnswers: counter({
    name: "aigateway_exporter_refused_answers_total",
    help: "Answers rejected because of series_limit.",
    labels: ["collector"],
  }),
  concealedLabels: counter({
    name: "aigateway_exporter_concealed_labels_total",
    help: "Texts of answers that are shown as _concealed because they contain a secret, or look like one.",
    labels: ["collector"],
  }),
  polls: counter({
    name: "aigateway_exporter_polls_total",
    help: "Polls, including failed ones.",
    labels: ["collector"],
  }),
  pollFailures: counter({
    name: "aigateway_exporter_poll_failures_total",
    help: "Polls that failed, by reason.",
    labels: ["collector", "reason"],
  }),
  pollDuration: histogram({
    name: "aigateway_exporter_poll_duration_seconds",
    help: "Durations of polls, including failed ones and retries, from the first permit to the end.",
    labels: ["collector"],
    absent: "the collector has no targets",
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  }),
  pollLag: gauge({
    name: "aigateway_exporter_poll_lag_seconds",
    help: "How long the most overdue target has been overdue; 0 when every target was polled within its interval.",
    labels: ["collector"],
    absent: "the collector has no targets",
  }),
  pollInterval: gauge({
    name: "aigateway_exporter_poll_interval_seconds",
    help: "Effective interval between two polls of a target: the present gap of the schedule, the time that the rate limit needs for all targets, the longest time between the last two polls of a target, or the longest time for which a target has been due, whichever is longest.",
    labels: ["collector"],
    absent: "the collector has no targets",
  }),
  upstreamRequests: counter({
    name: "aigateway_exporter_upstream_requests_total",
    help: "Requests to the gateway, including retries, by HTTP status; code is none if no complete answer arrived.",
    labels: ["endpoint", "code"],
    absent: "no request with that status yet",
  }),
  gatewayClockDifference: gauge({
    name: "aigateway_exporter_gateway_clock_difference_seconds",
    help: "How far the gateway's clock (the Date header of its last answer) is ahead of the exporter's; negative: behind.",
    absent: "no answer had a date yet",
  }),
  throttledUntil: gauge({
    name: "aigateway_exporter_throttled_until_timestamp_seconds",
    help: "End of the pause in which the exporter sends no requests to an endpoint, or for some of its targets, because the gateway asked it to wait, or of the lower pace after many refusals (429), seconds since the epoch.",
    labels: ["endpoint"],
    absent: "nothing is throttled",
  }),
  reloadSuccessful: gauge({
    name: "aigateway_exporter_config_last_reload_successful",
    help: "Whether the last attempt to load the configuration succeeded.",
  }),
  reloadSuccess: gauge({
    name: "aigateway_exporter_config_last_reload_success_timestamp_seconds",
    help: "When the configuration was last loaded, seconds since the epoch.",
  }),
  configHash: gauge({
    name: "aigateway_exporter_config_hash",
    help: "Hash of the configuration file that is in use: the first 48 bits of its SHA-256, as an integer.",
  }),
  webUpToDate: gauge({
    name: "aigateway_exporter_web_config_last_reload_successful",
    help: "Whether the web configuration and its certificates were valid when they were last read. 0: a new certificate is invalid and the previous one is served. With any other fault nothing is served, not even this metric.",
    absent: "no --web.config.file is given",
  }),
  webCertificateEnd: gauge({
    name: "aigateway_exporter_web_certificate_expiry_timestamp_seconds",
    help: "When the certificate that the exporter serves expires (web configuration), seconds since the epoch.",
    absent: "the exporter serves no TLS",
  }),
  droppedConnections: counter({
    name: "aigateway_exporter_http_connections_dropped_total",
    help: "Connections that the exporter refused because it had too many.",
  }),
  droppedLines: counter({
    name: "aigateway_exporter_log_lines_dropped_total",
    help: "Lines of the log that were dropped, because nobody reads it and 1 MiB waits.",
  }),
  creditValue: gauge({
    name: "aigateway_credit_value",
    help: "Price of one credit (credit_value of the configuration). Money: credits * on (job, instance) group_left (currency) aigateway_credit_value.",
    labels: ["currency"],
    absent: "credit_value is not configured",
  }),
};
