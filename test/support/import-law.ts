/** Who may import whom: the table of the design as data. A file obeys the first law that names it; a file that none names is free. */
export interface Law {
  readonly of: readonly string[];
  /** What it may import in full. */
  readonly values: readonly string[];
  /** What it may import types and constants of: a union and the list of its members are one thing. */
  readonly types?: readonly string[];
  /** The law in words, for the message. */
  readonly says: string;
}

/** How a constant is written. */
export const CONSTANT = /^[A-Z][A-Z0-9_]*$/;

const LEVEL_0 = [
  "exporter/metrics/family.ts",
  "exporter/config/secret.ts",
  "exporter/config/config.ts",
  "exporter/log.ts",
  "exporter/time/",
] as const;

export const LAWS: readonly Law[] = [
  {
    of: LEVEL_0,
    values: LEVEL_0,
    says: "level 0 may import level 0 only",
  },
  {
    of: ["exporter/config/"],
    values: [...LEVEL_0, "exporter/config/"],
    says: "exporter/config/ may import level 0 only",
  },
  {
    of: ["exporter/gateway/"],
    values: [...LEVEL_0, "exporter/gateway/"],
    says: "exporter/gateway/ may import level 0 only",
  },
  {
    of: ["exporter/collectors/"],
    values: [...LEVEL_0, "exporter/collectors/"],
    types: ["exporter/gateway/", "exporter/config/"],
    says: "exporter/collectors/ may import level 0, and types and constants of gateway/ and config/",
  },
  {
    of: ["exporter/budgets/"],
    values: [...LEVEL_0, "exporter/budgets/"],
    types: ["exporter/gateway/", "exporter/config/", "exporter/collectors/collector.ts"],
    says: "exporter/budgets/ may import level 0, and types and constants of gateway/, config/ and collectors/collector",
  },
  {
    of: ["exporter/metrics/"],
    values: [...LEVEL_0, "exporter/metrics/"],
    says: "exporter/metrics/ may import level 0 only",
  },
  {
    of: ["exporter/schedule/"],
    values: [
      ...LEVEL_0,
      "exporter/schedule/",
      "exporter/gateway/errors.ts",
      "exporter/collectors/collector.ts",
      "exporter/metrics/",
    ],
    types: ["exporter/gateway/"],
    says: "exporter/schedule/ may import level 0, gateway/errors, collectors/collector, metrics/, and types and constants of gateway/",
  },
  {
    of: ["exporter/probes/"],
    values: [
      ...LEVEL_0,
      "exporter/probes/",
      "exporter/gateway/errors.ts",
      "exporter/budgets/decimal-sum.ts",
      "exporter/metrics/",
      "exporter/schedule/",
    ],
    types: ["exporter/gateway/", "exporter/config/"],
    says: "exporter/probes/ may import level 0, gateway/errors, budgets/decimal-sum, metrics/, schedule/, and types and constants of gateway/ and config/",
  },
  {
    of: ["exporter/http/"],
    values: [...LEVEL_0, "exporter/http/", "exporter/metrics/"],
    types: ["exporter/config/"],
    says: "exporter/http/ may import level 0, metrics/, and types and constants of config/",
  },
  {
    of: ["exporter/main.ts"],
    values: ["exporter/*.ts", "exporter/config/", "package.json"],
    says: "exporter/main.ts may import the files beside it and config/ only",
  },
  {
    of: ["exporter/*.ts"],
    values: [
      ...["config", "gateway", "collectors", "budgets", "metrics", "schedule", "probes", "http"].map(
        (folder) => `exporter/${folder}/`,
      ),
      "exporter/[!main].ts",
      "package.json",
    ],
    says: "exporter/app.ts may import everything below it, exporter/main.ts is above",
  },
  {
    of: ["exporter/"],
    values: [],
    says: "this folder has no place in the import law (test/support/import-law.ts)",
  },
  {
    of: ["dashboards/"],
    values: [
      "dashboards/",
      "exporter/collectors/*families.ts",
      "exporter/budgets/*families.ts",
      "exporter/probes/families.ts",
      "exporter/metrics/family.ts",
      "exporter/metrics/self*.ts",
      "exporter/metrics/thresholds.ts",
    ],
    says: "dashboards/ may import the families of collectors/, budgets/, probes/ and metrics/self, and metrics/family only",
  },
  {
    of: ["infra/"],
    values: ["infra/", "dashboards/", "exporter/time/", "exporter/config/schema.ts", "exporter/config/parse.ts"],
    says: "infra/ may import dashboards/, time/, config/schema and config/parse only",
  },
  {
    of: ["test/gateway-contract/", "test/gateway/*.test.ts", "test/gateway/*/*.test.ts"],
    values: ["test/gateway-contract/", "test/gateway/", "test/support/"],
    says: "tests of the simulated gateway may import it and test/support/ only",
  },
  {
    of: ["test/gateway/"],
    values: ["test/gateway/"],
    says: "test/gateway/ is written from the contract alone and may import nothing else of the repository",
  },
];

/** Packages that only some files of the product may import. */
export const PACKAGES: readonly { readonly name: string; readonly only: readonly string[] }[] = [
  { name: "undici", only: ["exporter/gateway/http.ts"] },
  { name: "prom-client", only: ["exporter/metrics/"] },
  { name: "bcryptjs", only: ["exporter/http/bcrypt-worker.ts", "test/support/hashed-password.ts"] },
  { name: "pino", only: ["exporter/log.ts"] },
  { name: "node-cron", only: ["exporter/time/cron.ts"] },
  { name: "fastest-levenshtein", only: ["exporter/probes/word-error-rate.ts"] },
  { name: "node:process", only: ["exporter/main.ts"] },
  { name: "process", only: ["exporter/main.ts"] },
];

/** Whether a path is one of these: a file, a folder (with a slash at the end), or a pattern whose `*` stands for part of a name. */
export function matches(path: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => toExpression(pattern).test(path));
}

function toExpression(pattern: string): RegExp {
  const source = pattern
    .replaceAll(".", String.raw`\.`)
    .replaceAll("*", "[^/]*")
    .replace("[!main]", "(?!main\\.)[^/]*");
  return new RegExp(`^${source}${pattern.endsWith("/") ? "" : "$"}`);
}
