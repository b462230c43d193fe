import { counter, gauge, info } from "./family.ts";

/** What the exporter says of itself; the values are kept by `self.ts`. */
export const selfFamilies = {
  buildInfo: info({
    name: "aigateway_exporter_build_info",
    help: "Always 1; what is running.",
    labels: ["version", "revision", "nodeversion"],
    absent: "never",
  }),
  keys: gauge({
    name: "aigateway_exporter_keys",
    help: "Keys that are configured.",
    labels: [],
    absent: "never",
  }),
  series: gauge({
    name: "aigateway_exporter_series",
    help: "Series held about keys and analytics.",
    labels: [],
    absent: "never",
  }),
  seriesLimit: gauge({
    name: "aigateway_exporter_series_limit",
    help: "Most series that are held (series_limit of the configuration); an answer that would go beyond is refused as a whole.",
    labels: [],
    absent: "never",
  }),
  refusedAnswers: counter({
    name: "aigateway_exporter_refused_answers_total",
    help: "Answers that were not shown because of series_limit.",
    labels: ["collector"],
    absent: "never",
  }),
  polls: counter({
    name: "aigateway_exporter_polls_total",
    help: "Polls that were made, failed ones too.",
    labels: ["collector"],
    absent: "never",
  }),
  pollFailures: counter({
    name: "aigateway_exporter_poll_failures_total",
    help: "Polls that failed, by reason.",
    labels: ["collector", "reason"],
    absent: "never",
  }),
  pollDuration: gauge({
    name: "aigateway_exporter_poll_duration_seconds",
    help: "Duration of the last poll, from its start after the wait for the pace to its end.",
    labels: ["collector"],
    absent: "before the first poll",
  }),
  pollLag: gauge({
    name: "aigateway_exporter_poll_lag_seconds",
    help: "How long the target that has waited longest is overdue; 0 when every target was polled within its interval.",
    labels: ["collector"],
    absent: "the collector has no target",
  }),
  pollInterval: gauge({
    name: "aigateway_exporter_poll_interval_seconds",
    help: "Longest time between two polls of a target: the longest gap of the schedule, or what the pace takes for all targets if that is more.",
    labels: ["collector"],
    absent: "the collector has no target",
  }),
  upstreamRequests: counter({
    name: "aigateway_exporter_upstream_requests_total",
    help: "Requests to the gateway, retries too, by HTTP status; none when there was no answer.",
    labels: ["endpoint", "code"],
    absent: "no request with that status yet",
  }),
  throttledUntil: gauge({
    name: "aigateway_exporter_throttled_until_timestamp_seconds",
    help: "Until when the exporter leaves an endpoint, or part of its targets, alone because the gateway asked for it, seconds since the epoch.",
    labels: ["endpoint"],
    absent: "nothing is throttled",
  }),
  reloadSuccessful: gauge({
    name: "aigateway_exporter_config_last_reload_successful",
    help: "Whether the last attempt to load the configuration succeeded.",
    labels: [],
    absent: "never",
  }),
  reloadSuccess: gauge({
    name: "aigateway_exporter_config_last_reload_success_timestamp_seconds",
    help: "When the configuration was last loaded, seconds since the epoch.",
    labels: [],
    absent: "never",
  }),
  webUpToDate: gauge({
    name: "aigateway_exporter_web_config_last_reload_successful",
    help: "Whether the web configuration and its certificates could be used when they were last read. 0: the certificate before is served; with anything else that is wrong nothing is served, not even this.",
    labels: [],
    absent: "no --web.config.file is given",
  }),
  creditValue: gauge({
    name: "aigateway_credit_value",
    help: "Price of one credit (credit_value of the configuration); multiply by it to see money.",
    labels: ["currency"],
    absent: "credit_value is not configured",
  }),
};
