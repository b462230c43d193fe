import { parse, stringify } from "yaml";
import { z } from "zod";
import packageJson from "../package.json" with { type: "json" };
import { chartReadme } from "./helm-readme.ts";
import { createRules } from "../dashboards/rules/index.ts";
import {
  ENDPOINT_FIELDS,
  LABEL_NAME,
  LABEL_VALUE,
  NAMESPACE_NAME,
  OBJECT_NAME,
  OWN_VOLUMES,
  QUANTITY,
  VARIABLE_NAME,
} from "../infra/kubernetes/names.ts";
import { DURATION, exporterSchema, PROXY } from "./helm-exporter-schema.ts";

/**
 * Placeholders for links in the chart's rules. A template replaces them by the links of the values, or
 * removes them.
 */
export const CHART_LINKS = {
  runbookBaseUrl: "https://runbooks.chart.invalid",
  dashboardBaseUrl: "https://dashboards.chart.invalid",
};

/**
 * The settings of Pulumi.yaml that the chart has as values, with the same names and defaults, and mostly the
 * same descriptions.
 */
const VALUES = (
  "exporter runbookBaseUrl dashboardBaseUrl alerts image imagePullPolicy imagePullSecrets keysSecret managementSecret shards replicas logLevel resources gateway " +
  "environment environmentSecret caConfigMap webConfigSecret tlsSecret serviceAccount podSecurityContext securityContext commonLabels podLabels podAnnotations " +
  "nodeSelector tolerations affinity priorityClass topologySpreadConstraints extraArgs extraEnv extraVolumes extraVolumeMounts initContainers " +
  "scrape scrapeInterval monitorEndpoint monitorLabels rules ruleLabels dashboardConfigMaps dashboardLabels dashboardAnnotations dashboardNamespace " +
  "networkPolicy scrapeFrom networkPolicyIngress networkPolicyEgress"
).split(" ");

const CHOICES: Readonly<Record<string, readonly string[]>> = {
  logLevel: ["debug", "info", "warn", "error"],
  scrape: ["serviceMonitor", "podMonitor", "annotations", "none"],
  rules: ["prometheusRule", "configMap", "none"],
};

const declared = z.object({
  config: z.record(
    z.string(),
    z
      .object({ default: z.unknown(), description: z.string() })
      .transform((setting) => ({ ...setting, type: typeOf(setting.default) })),
  ),
});

/** The values that only the chart has. */
const OWN_VALUES: readonly Setting[] = [
  own(
    "nameOverride",
    "string",
    "",
    "Objects are named RELEASE-nameOverride instead of RELEASE, or of RELEASE-ALIAS as a dependency.",
  ),
  own("fullnameOverride", "string", "", "Name of the objects; at most 52 characters."),
];

/** The files of the chart by path, as far as they are made from the settings of the Pulumi program. */
export function helmChart(pulumiYaml: string): ReadonlyMap<string, string> {
  const { config } = declared.parse(parse(pulumiYaml));
  const shared = VALUES.map((name) => ({
    name,
    ...(config[name] ?? unknownSetting(name)),
    ...(DESCRIPTIONS[name] && { description: DESCRIPTIONS[name] }),
  }));
  const settings = [...shared, ...OWN_VALUES];
  return new Map([
    ["Chart.yaml", chartFile()],
    ["README.md", chartReadme(settings)],
    ["values.yaml", settings.map(valueText).join("\n")],
    ["values.schema.json", `${JSON.stringify(schemaOf(settings), undefined, 2)}\n`],
  ]);
}

/** Descriptions of settings that mean something else in the chart, which has no stack, no secret and no Grafana. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  exporter:
    "The exporter's configuration as in docs/configuration.md, without the paths of secrets: api_key_file, keys_dir and management_key_file are set automatically. Probes cannot have audio; they send the image's recording.",
  dashboardBaseUrl:
    "URL of Grafana's dashboards up to the uid, such as https://grafana.example/d. If empty, alerts have no such link.",
  podSecurityContext: "Security context of the pod; null for platforms that set it, such as OpenShift.",
  keysSecret: "Name of an existing Secret. Each entry is a key; the entry's name is the key's name.",
  managementSecret:
    "Name of an existing Secret with the management key; its entry must be named management-key.",
  gateway:
    "Value of the label gateway of every series, which keeps several gateways apart in rules and dashboards. If empty, there is no such label.",
};

function unknownSetting(name: string): never {
  throw new Error(`Cannot make the chart: Pulumi.yaml has no setting "${name}"`);
}

function own(name: string, type: string, value: unknown, description: string): Setting {
  return { name, type, default: value, description };
}

/** The type of a setting is that of its default. */
function typeOf(value: unknown): string {
  return Array.isArray(value) ? "array" : typeof value === "number" ? "integer" : typeof value;
}

type Setting = { readonly name: string } & z.output<typeof declared>["config"][string];

function chartFile(): string {
  return stringify({
    apiVersion: "v2",
    name: packageJson.name,
    description: packageJson.description,
    type: "application",
    version: packageJson.version,
    appVersion: packageJson.version,
    // Without kubeVersion: Helm without a cluster assumes an old Kubernetes, and would refuse the chart.
    keywords: packageJson.keywords,
  });
}

function valueText({ name, default: value, description }: Setting): string {
  return `# ${description.replaceAll("`", "")}\n${stringify({ [name]: value })}`;
}

function schemaOf(settings: readonly Setting[]) {
  const properties = settings.map((setting) => [
    setting.name,
    SCHEMAS[setting.name] ?? schemaOfType(setting),
  ]);
  // A value that is null is removed: one that is required is refused by its name, any other one is empty.
  const required = settings.filter(({ name, type }) => name in CHOICES || /^(?:integer|boolean)$/.test(type));
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    additionalProperties: false,
    required: ["image", "exporter", "scrapeInterval", ...required.map(({ name }) => name)],
    properties: {
      ...Object.fromEntries(properties),
      // Helm sets `global` for a dependency; `enabled` is the usual condition of one.
      global: { type: "object" },
      enabled: { type: "boolean" },
    },
  };
}

function schemaOfType({ name, type }: Setting) {
  if (name in CHOICES) return { enum: CHOICES[name] };
  return type === "integer" ? { type, minimum: 1 } : { type: type === "boolean" ? type : [type, "null"] };
}

/** Users write true and 42 where Kubernetes wants a text; the templates make one of it. */
const SCALAR = ["string", "number", "boolean", "null"];
const NAMED = { type: ["object", "null"], propertyNames: { pattern: `^${LABEL_NAME}$`, maxLength: 317 } };
const LABEL = { pattern: `^${LABEL_VALUE}$`, minimum: 0, maximum: 1e20 };
const LABELS = { ...NAMED, additionalProperties: { type: SCALAR, ...LABEL } };
const ANNOTATIONS = { ...NAMED, additionalProperties: { type: SCALAR } };
const OBJECTS = { type: ["array", "null"], items: { type: "object" } };
/** Of an object in Kubernetes; empty: none. */
const REFERENCE = { type: ["string", "null"], pattern: `^(?:${OBJECT_NAME})?$`, maxLength: 253 };
const NAMED_OBJECTS = { ...OBJECTS, items: { type: "object", required: ["name"] } };
const QUANTITIES = {
  type: ["object", "null"],
  additionalProperties: { type: ["string", "number", "null"], pattern: `^${QUANTITY}$`, minimum: 0 },
};

/** No variable has a login, because anyone who may read pods can read it. */
const PUBLIC = { type: "string", not: { pattern: String.raw`://[^/\s]*@` } };

/** The pod has objects of these names itself. */
function namedOtherThan(names: readonly string[]) {
  const name = { not: { enum: names } };
  return { ...OBJECTS, items: { type: "object", required: ["name"], properties: { name } } };
}

/** Labels or annotations of an alert. */
const TEXTS = {
  type: "object",
  propertyNames: { pattern: "^[a-zA-Z_][a-zA-Z0-9_]*$" },
  additionalProperties: { type: SCALAR },
};
/** Alerts append to it; empty: none. */
const LINK = { type: ["string", "null"], pattern: String.raw`^(?:https?://[^\s"'#?{}\\]+)?$` };

const SCHEMAS: Readonly<Record<string, object>> = {
  exporter: exporterSchema(),
  image: { type: "string", pattern: String.raw`^\S+$` },
  runbookBaseUrl: LINK,
  dashboardBaseUrl: LINK,
  alerts: {
    type: ["object", "null"],
    propertyNames: {
      enum: createRules().flatMap(({ rules }) => rules.map(({ alert }) => alert)),
    },
    additionalProperties: {
      type: "object",
      additionalProperties: false,
      properties: {
        enabled: { type: "boolean" },
        severity: { enum: ["critical", "warning", "info"] },
        for: { type: "string", pattern: DURATION, minLength: 1 },
        labels: TEXTS,
        annotations: TEXTS,
      },
    },
  },
  imagePullPolicy: { enum: ["", "Always", "IfNotPresent", "Never", null] },
  imagePullSecrets: {
    type: ["array", "null"],
    items: {
      anyOf: [
        { type: "string", minLength: 1 },
        {
          type: "object",
          required: ["name"],
          additionalProperties: false,
          properties: { name: { type: "string", minLength: 1 } },
        },
      ],
    },
  },
  environment: {
    type: ["object", "null"],
    propertyNames: { pattern: `^${VARIABLE_NAME}$` },
    // Helm shows a value that does not match, but not one that must not match.
    patternProperties: {
      "^(?:https?_proxy|HTTPS?_PROXY)$": { ...PUBLIC, if: PUBLIC.not, else: { pattern: PROXY } },
    },
    additionalProperties: PUBLIC,
  },
  resources: {
    type: ["object", "null"],
    additionalProperties: false,
    properties: { requests: QUANTITIES, limits: QUANTITIES, claims: { type: ["array", "null"] } },
  },
  monitorEndpoint: { type: ["object", "null"], propertyNames: { enum: ENDPOINT_FIELDS } },
  affinity: {
    type: ["object", "null"],
    propertyNames: { enum: ["nodeAffinity", "podAffinity", "podAntiAffinity"] },
  },
  gateway: { type: ["string", "null"], pattern: LABEL.pattern },
  // The templates refuse a wrong name as well, but helm lint does not hear them.
  nameOverride: { type: ["string", "null"], pattern: "^(?:[a-z0-9](?:[a-z0-9-]{0,28}[a-z0-9])?)?$" },
  fullnameOverride: { type: ["string", "null"], pattern: "^(?:[a-z](?:[a-z0-9-]{0,50}[a-z0-9])?)?$" },
  shards: { type: "integer", minimum: 1, maximum: 1000 },
  scrapeInterval: { type: "string", pattern: DURATION, minLength: 1 },
  ...Object.fromEntries(
    [
      "podLabels",
      "commonLabels",
      "nodeSelector",
      "monitorLabels",
      "dashboardLabels",
      "ruleLabels",
      "scrapeFrom",
    ].map((name) => [name, LABELS]),
  ),
  ...Object.fromEntries(["podAnnotations", "dashboardAnnotations"].map((name) => [name, ANNOTATIONS])),
  ...Object.fromEntries(
    [
      "keysSecret",
      "managementSecret",
      "environmentSecret",
      "caConfigMap",
      "webConfigSecret",
      "tlsSecret",
      "priorityClass",
    ].map((name) => [name, REFERENCE]),
  ),
  dashboardNamespace: { type: ["string", "null"], pattern: `^(?:${NAMESPACE_NAME})?$` },
  extraVolumes: namedOtherThan(OWN_VOLUMES),
  initContainers: namedOtherThan(["exporter"]),
  extraVolumeMounts: NAMED_OBJECTS,
  extraEnv: {
    ...OBJECTS,
    items: { ...NAMED_OBJECTS.items, properties: { name: { pattern: `^${VARIABLE_NAME}$` }, value: PUBLIC } },
  },
  ...Object.fromEntries(
    ["tolerations", "topologySpreadConstraints", "networkPolicyIngress", "networkPolicyEgress"].map(
      (name) => [name, OBJECTS],
    ),
  ),
  extraArgs: { type: ["array", "null"], items: { type: "string" } },
  serviceAccount: {
    type: ["object", "null"],
    additionalProperties: false,
    properties: { create: { type: "boolean" }, name: REFERENCE, annotations: ANNOTATIONS },
  },
};
