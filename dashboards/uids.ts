/** The dashboards by name. Alerts and bookmarks lead to them: a uid never changes. */
export const uids = {
  overview: "aigateway-overview",
  key: "aigateway-key",
  models: "aigateway-models",
  apps: "aigateway-apps",
  exporter: "aigateway-exporter",
} as const;
