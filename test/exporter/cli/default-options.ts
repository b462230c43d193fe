/** The options of a command line without flags. */
export const DEFAULT_OPTIONS = {
  autoReloadIntervalMs: 0,
  listen: [],
  telemetryPath: "/metrics",
  webConfigFile: undefined,
  enableLifecycle: false,
  allowedHosts: [],
  maxRequests: 40,
  logLevel: "info",
  logFormat: "json",
} as const;
