import { parse, stringify } from "yaml";
import { z } from "zod";
import packageJson from "../package.json" with { type: "json" };
import { createManifests, type Manifest } from "../infra/kubernetes/manifests.ts";
import type { PodSettings } from "../infra/kubernetes/pod.ts";
import { NAMED_TEMPLATES } from "./helm-named-templates.ts";
import { NOTES } from "./helm-notes.ts";
import { chartReadme } from "./helm-readme.ts";
import { GATEWAY_PORT, PODS, templateOf } from "./helm-template.ts";

/**
 * The settings of Pulumi.yaml that the chart has as values, with the same names and defaults, and mostly the
 * same descriptions.
 */
const VALUES = (
  "exporter runbookBaseUrl dashboardBaseUrl image imagePullSecrets keysSecret managementSecret shards replicas logLevel resources gateway " +
  "environment environmentSecret caConfigMap webConfigSecret podLabels podAnnotations nodeSelector tolerations affinity priorityClass scrape scrapeInterval monitorEndpoint monitorLabels rules " +
  "dashboardConfigMaps dashboardLabels dashboardAnnotations networkPolicy scrapeFrom"
).split(" ");

const CHOICES: Readonly<Record<string, readonly string[]>> = {
  logLevel: ["debug", "info", "warn", "error"],
  scrape: ["serviceMonitor", "podMonitor", "annotations", "none"],
  rules: ["prometheusRule", "configMap", "none"],
};

const declared = z.object({
  config: z.record(z.string(), z.object({ type: z.string(), default: z.unknown(), description: z.string() })),
});

/** The files of the chart by path, made from the same values and specs as the Pulumi program. */
export function helmChart(pulumiYaml: string): ReadonlyMap<string, string> {
  const { config } = declared.parse(parse(pulumiYaml));
  const settings = VALUES.map((name) => ({
    name,
    ...(config[name] ?? unknownSetting(name)),
    ...(DESCRIPTIONS[name] && { description: DESCRIPTIONS[name] }),
  }));
  const templates = templatesOf();
  return new Map([
    ["Chart.yaml", chartFile()],
    ["README.md", chartReadme(settings)],
    ["values.yaml", settings.map(valueText).join("\n")],
    ["values.schema.json", `${JSON.stringify(schemaOf(settings), undefined, 2)}\n`],
    ["templates/_helpers.tpl", NAMED_TEMPLATES],
    ["templates/NOTES.txt", NOTES],
    ...[...templates].map(([name, text]) => [`templates/${name}.yaml`, text] as const),
  ]);
}

/** Descriptions of settings that mean something else in the chart, which has no stack, no secret and no Grafana. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  exporter:
    "The exporter's configuration as in docs/configuration.md, without the paths of secrets: api_key_file, keys_dir and management_key_file are set automatically. Probes cannot have audio; they send the image's recording.",
  dashboardBaseUrl:
    "URL of Grafana's dashboards up to the uid, such as https://grafana.example/d. If empty, alerts have no such link.",
  keysSecret: "Name of an existing Secret. Each entry is a key; the entry's name is the key's name.",
  managementSecret:
    "Name of an existing Secret with the management key; its entry must be named management-key.",
  gateway:
    "Value of the label gateway of every series, which keeps several gateways apart in rules and dashboards. If empty, there is no such label.",
};

function unknownSetting(name: string): never {
  throw new Error(`Cannot make the chart: Pulumi.yaml has no setting "${name}"`);
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
  const properties = settings.map(({ name, type }) => [
    name,
    name === "exporter"
      ? EXPORTER
      : name === "environment"
        ? ENVIRONMENT
        : name in CHOICES
          ? { enum: CHOICES[name] }
          : { type, ...(type === "integer" && { minimum: 1 }) },
  ]);
  return {
    $schema: "https://json-schema.org/draft-07/schema#",
    type: "object",
    additionalProperties: false,
    required: ["image", "exporter"],
    properties: {
      ...Object.fromEntries(properties),
      image: { type: "string", minLength: 1 },
      // Helm sets it for a chart that is part of another one.
      global: { type: "object" },
    },
  };
}

const EXPORTER = {
  type: "object",
  required: ["gateway"],
  properties: {
    gateway: {
      type: "object",
      required: ["base_url"],
      properties: { base_url: { type: "string", pattern: "^https?://" } },
    },
  },
};

/** No value has a login, because anyone who may read pods can read them. */
const ENVIRONMENT = {
  type: "object",
  additionalProperties: { type: "string", not: { pattern: String.raw`://[^/\s]*@` } },
};

/** A string that becomes a template. */
const marked = (expression: string) => `$(${expression})`;
/** An object whose entries a template adds. */
const spread = (expression: string) => ({ "$(spread)": expression });

const TEMPLATE_SETTINGS: PodSettings = {
  name: "RELEASE",
  namespace: marked(".Release.Namespace"),
  image: marked(".Values.image"),
  imagePullSecrets: ["PULL"],
  shards: 1,
  replicas: 1,
  logLevel: "info",
  resources: spread(".Values.resources"),
  gateway: "GATEWAY",
  podLabels: spread(".Values.podLabels"),
  podAnnotations: spread(".Values.podAnnotations"),
  nodeSelector: spread(".Values.nodeSelector"),
  affinity: spread(".Values.affinity"),
  environmentSecret: marked(".Values.environmentSecret"),
  caConfigMap: marked(".Values.caConfigMap"),
  tolerations: [{ key: "TOLERATION" }],
  priorityClass: marked(".Values.priorityClass"),
  environment: { VARIABLE: "VALUE" },
  webConfigSecret: marked(".Values.webConfigSecret"),
  // A named template makes the whole endpoint.
  monitorEndpoint: {},
  scrape: "annotations",
  scrapeInterval: marked(".Values.scrapeInterval"),
  monitorLabels: spread(".Values.monitorLabels"),
  rules: "none",
  dashboardConfigMaps: true,
  dashboardLabels: spread(".Values.dashboardLabels"),
  dashboardAnnotations: spread(".Values.dashboardAnnotations"),
  networkPolicy: true,
  scrapeFrom: spread(".Values.scrapeFrom"),
  config: { text: "CONFIG" },
};

function manifestsOf(change: Partial<PodSettings> = {}): readonly Manifest[] {
  return createManifests({
    settings: { ...TEMPLATE_SETTINGS, ...change },
    outgoing: [`http://gateway.example:${GATEWAY_PORT}`],
    mounted: { keys: marked(".Values.keysSecret"), management: marked(".Values.managementSecret") },
    rules: [],
    dashboards: [{ uid: "UID", title: "", json: "DASHBOARD" }],
    manager: "Helm",
  });
}

/** Each template by the name of its file, with the condition under which it makes an object. */
function templatesOf(): ReadonlyMap<string, string> {
  const operator = (kind: string, name: "serviceMonitor" | "podMonitor") =>
    when(`eq .Values.scrape "${name}"`, find(kind, "", { scrape: name }));
  return new Map([
    ["service-account", find("ServiceAccount")],
    ["config", find("ConfigMap")],
    ["deployment", when(`eq ${PODS} 1`, find("Deployment"))],
    ["stateful-set", when(`gt ${PODS} 1`, find("StatefulSet", "", SEVERAL))],
    ["disruption-budget", when(`gt ${PODS} 1`, find("PodDisruptionBudget", "", SEVERAL))],
    ["service", find("Service")],
    ["network-policy", when("$.Values.networkPolicy", find("NetworkPolicy"))],
    ["service-monitor", operator("ServiceMonitor", "serviceMonitor")],
    ["pod-monitor", operator("PodMonitor", "podMonitor")],
    [
      "prometheus-rule",
      when('eq .Values.rules "prometheusRule"', find("PrometheusRule", "", { rules: "prometheusRule" })),
    ],
    ["rules", when('eq .Values.rules "configMap"', find("ConfigMap", "-rules", { rules: "configMap" }))],
    ["dashboards", when("$.Values.dashboardConfigMaps", dashboards(find("ConfigMap", "-dashboard-UID")))],
  ]);
}

/** Another number of replicas than that of a Deployment, as a placeholder. */
const SEVERAL = { shards: 1, replicas: 10 };

function find(kind: string, suffix = "", change: Partial<PodSettings> = {}): string {
  const found = manifestsOf(change).find(
    ({ kind: own, metadata }) => own === kind && metadata.name === `RELEASE${suffix}`,
  );
  if (!found) throw new Error(`Cannot make the chart: there is no ${kind} "RELEASE${suffix}"`);
  return templateOf(found);
}

function when(condition: string, text: string): string {
  return `{{- if ${condition} }}\n${text}{{- end }}\n`;
}

function dashboards(text: string): string {
  const each = text.replaceAll("UID", '{{ trimSuffix ".json" (base $path) }}');
  return `{{- range $path, $_ := .Files.Glob "files/*.json" }}\n---\n${each}{{- end }}\n`;
}
