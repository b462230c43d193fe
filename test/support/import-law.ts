/**
 * The import law: the table of the design as data. A file obeys the first law that names it; a file without a law is
 * unrestricted.
 */
export interface Law {
  readonly level: number | undefined;
  readonly of: readonly string[];
  /** The paths that it may import in full. */
  readonly values: readonly string[];
  /**
   * The paths of which it may import types and constants, because a union and the list of its members belong
   * together.
   */
  readonly types: readonly string[];
}

/** How a constant is written. */
export const CONSTANT = /^[A-Z][A-Z0-9_]*$/;

/** The folders of the exporter, in the order in which data flow. */
export const ROOMS = [
  "cli",
  "time",
  "secrets",
  "config",
  "gateway",
  "keys",
  "collectors",
  "schedule",
  "readings",
  "budgets",
  "forecast",
  "probes",
  "metrics",
  "status",
  "reports",
  "backfill",
  "http",
] as const;

const ZERO = [
  room("time"),
  room("secrets"),
  "exporter/log.ts",
  "exporter/nearest-name.ts",
  "exporter/parse-json.ts",
  room("metrics", "family.ts"),
  room("metrics", "decimal-sum.ts"),
];

/**
 * The modules that a collector, a probe or a budget may use: for its results, its jobs, and the answers of the
 * gateway.
 */
const JOBS = [
  ...ZERO,
  ...["readings", "metrics", "schedule"].map((name) => room(name)),
  room("gateway", "errors.ts"),
];

/** The commands print them. The daemon does not load them. */
const RULES = ["index.ts", "alert-changes.ts", "file.ts", "settings.ts", "rule.ts"].map(
  (file) => `dashboards/rules/${file}`,
);

export const LAWS: readonly Law[] = [
  // Level, importer, further full imports, and imports of types and constants.
  law(0, ZERO, ZERO),
  law(1, "config", ZERO),
  law(2, "gateway", ZERO, ["config"]),
  law(3, "readings", ZERO, ["gateway"]),
  law(3, "metrics", ZERO),
  law(
    4,
    "schedule",
    [
      ...ZERO,
      ...["config", "readings", "metrics"].map((name) => room(name)),
      ...["port.ts", "errors.ts", "causes.ts"].map((file) => room("gateway", file)),
    ],
    ["gateway"],
  ),
  law(5, "keys", [...ZERO, room("readings"), room("metrics")], ["gateway", "config"]),
  law(5, "collectors", [...JOBS, room("keys")], ["gateway", "config"]),
  law(5, "probes", JOBS, ["gateway", "config"]),
  law(5, "budgets", [...JOBS, room("forecast")], ["gateway", "config"]),
  law(5, "forecast", [...ZERO, room("readings"), room("metrics")], ["gateway", "config"]),
  law(6, "reports", [...ZERO, room("keys"), room("metrics")], ["gateway", "config"]),
  law(
    6,
    "backfill",
    [...ZERO, room("keys"), room("collectors"), room("metrics"), room("reports")],
    ["gateway", "config"],
  ),
  law(6, "status", [...ZERO, room("readings"), room("metrics")], ["budgets", "config", "forecast"]),
  law(6, "http", [...ZERO, room("readings"), room("metrics"), room("status")], ["budgets", "config"]),
  law(7, ["exporter/app.ts"], [...ZERO, ...below("cli")]),
  law(7, "cli", [...ZERO, "exporter/app.ts", ...below("cli"), "package.json", ...RULES]),
  law(8, ["exporter/main.ts"], [...ZERO, "exporter/app.ts", ...below(), "package.json"]),
  // A folder without a row.
  law(undefined, ["exporter/"], []),
  law(
    undefined,
    ["dashboards/"],
    [
      "dashboards/",
      ...["collectors", "budgets", "forecast", "probes", "metrics"].flatMap((name) => [
        room(name, "*families.ts"),
        room(name, "thresholds.ts"),
      ]),
      room("collectors", "index.ts"),
      room("forecast", "outlook.ts"),
      room("gateway", "causes.ts"),
      room("metrics", "family.ts"),
    ],
  ),
  law(
    undefined,
    ["infra/"],
    [
      "infra/",
      "dashboards/",
      ...["schema.ts", "parse.ts", "config.ts", "proxy.ts"].map((name) => room("config", name)),
      room("time"),
    ],
  ),
  law(undefined, ["test/gateway-contract/"], ["test/gateway-contract/", "test/gateway/", "test/support/"]),
  // Written from the contract only, because it tests the exporter.
  law(undefined, ["test/gateway/"], ["test/gateway/"]),
];

/** Packages that only some files may import. */
export const PACKAGES: readonly { readonly name: string; readonly only: readonly string[] }[] = [
  { name: "undici", only: ["exporter/gateway/http.ts", "exporter/gateway/exchange.ts"] },
  { name: "prom-client", only: [room("metrics")] },
  { name: "node-cron", only: [room("time")] },
  { name: "croner", only: [room("time")] },
  { name: "re2js", only: [room("config")] },
  { name: "bcryptjs", only: [room("http")] },
  { name: "d3-scale", only: [room("status")] },
  {
    name: "fastest-levenshtein",
    only: ["exporter/nearest-name.ts", room("probes"), "infra/"],
  },
  // Without an explicit server, its client contacts the vendor's own host.
  { name: "@openrouter/sdk", only: ["test/gateway-contract/vendor-client.ts"] },
  { name: "node:process", only: ["exporter/main.ts"] },
  { name: "process", only: ["exporter/main.ts"] },
];

/** The law in words, for messages. */
export function wordsOf({ of, values, types }: Law): string {
  if (values.length === 0) return "its folder has no row in the import law (test/support/import-law.ts)";
  const others = values.filter((path) => !of.includes(path) || of === ZERO);
  const may = others.length > 0 ? `${named(others)} only` : "nothing else of the repository";
  const asTypes = types.length > 0 ? `, and types and constants of ${named(types)}` : "";
  return `${named(of)} may import ${may}${asTypes}`;
}

function named(paths: readonly string[]): string {
  const isZero = ZERO.every((path) => paths.includes(path));
  const rest = isZero ? paths.filter((path) => !ZERO.includes(path)) : paths;
  return [...(isZero ? ["level 0"] : []), ...rest].join(", ");
}

/**
 * Whether a path is one of these: a file, a folder (with a slash at the end), or a pattern whose `*` stands
 * for part of a name.
 */
export function matches(path: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => toExpression(pattern).test(path));
}

function law(
  level: number | undefined,
  of: string | readonly string[],
  values: readonly string[],
  types: readonly string[] = [],
): Law {
  const own = typeof of === "string" ? [room(of)] : of;
  const isRoom = typeof of === "string";
  return {
    level,
    of: own,
    values: isRoom ? [...own, ...values] : values,
    types: types.map((name) => room(name)),
  };
}

function room(name: string, file = ""): string {
  return `exporter/${name}/${file}`;
}

function below(...without: readonly string[]): readonly string[] {
  return ROOMS.filter((name) => !without.includes(name)).map((name) => room(name));
}

function toExpression(pattern: string): RegExp {
  const source = pattern.replaceAll(".", String.raw`\.`).replaceAll("*", "[^/]*");
  return new RegExp(`^${source}${pattern.endsWith("/") ? "" : "$"}`);
}
