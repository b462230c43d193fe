/** The dashboards' uids by name. Alerts and bookmarks link to them, so a uid never changes. */
export const uids = {
  overview: "aigateway-overview",
  key: "aigateway-key",
  account: "aigateway-account",
  models: "aigateway-models",
  apps: "aigateway-apps",
  exporter: "aigateway-exporter",
} as const;
