import { z } from "zod";
import { KEY_NAME, MOST_SHARDS } from "../exporter/config/schema.ts";
import { proxyUrl } from "../exporter/config/proxy.ts";
import {
  ENDPOINT_FIELDS,
  LABEL_NAME,
  LABEL_VALUE,
  NAMESPACE_NAME,
  OBJECT_NAME,
  OWN_VOLUMES,
  QUANTITY,
  VARIABLE_NAME,
} from "./kubernetes/names.ts";
import {
  choice,
  count,
  flag,
  json,
  matching,
  object,
  secretMap,
  secretText,
  textList,
  textMap,
} from "./setting-field.ts";

const quantity = z.union([z.number().min(0), z.string().regex(whole(QUANTITY))]);

const resourcesForm = z.strictObject({
  requests: z.record(z.string(), quantity).optional(),
  limits: z.record(z.string(), quantity).optional(),
  claims: z.array(z.unknown()).optional(),
});

const containerResources = z
  .record(z.string(), z.unknown())
  .refine((value) => resourcesForm.safeParse(value).success);

const objectName = () => matching("the name of an object", whole(`(?=.{1,253}$)${OBJECT_NAME}`), "optional");

const namespace = (optional: "optional" | "required") =>
  matching("a name of at most 63 lower-case letters, digits and dashes", whole(NAMESPACE_NAME), optional);

const labels = () =>
  textMap(whole(LABEL_NAME), (text) => (whole(LABEL_VALUE).test(text) ? undefined : `is not ${LABEL}`));

const annotations = () => textMap(whole(LABEL_NAME));

const LABEL = "a label of at most 63 letters, digits, dashes, underscores and dots";

const objects = () => json("a list of objects", z.array(z.record(z.string(), z.unknown())));

/** `names`: those of objects that the pod has itself. */
const otherThan = (names: readonly string[]) => {
  const name = z.string().refine((text) => !names.includes(text));
  return json(
    `a list of objects with a name other than ${names.join(", ")}`,
    z.array(z.looseObject({ name })),
  );
};

const mounts = z.array(z.looseObject({ name: z.string(), mountPath: z.string() }));

const spreads = z.array(
  z.looseObject({ maxSkew: z.number(), topologyKey: z.string(), whenUnsatisfiable: z.string() }),
);

const serviceAccount = z.strictObject({
  create: z.boolean().default(true),
  name: z.string().default(""),
  annotations: z.record(z.string(), z.string()).default({}),
});

const link = () => matching("an http or https URL", /^https?:\/\/[^\s/]+\S*$/, "optional");

const grafanaUid = (optional: "optional" | "required") =>
  matching("a uid of at most 40 letters, digits, dashes and underscores", /^[\w-]{1,40}$/, optional);

const anyText = () => matching("a string", /^/);

/** The API server names one unknown field at a time. */
const endpoint = () =>
  object().superRefine((value, context) => {
    for (const name of Object.keys(value).filter((each) => !ENDPOINT_FIELDS.includes(each)))
      context.addIssue({ code: "custom", path: [name], message: "is not a field of an endpoint" });
  });

const variables = z.array(
  z.looseObject({
    name: z.string().regex(whole(VARIABLE_NAME)),
    value: z
      .string()
      .refine((text) => !LOGIN.test(text))
      .exactOptional(),
  }),
);

const LOGIN = /:\/\/[^/\s]*@/;

const addresses = z.array(z.union([z.cidrv4(), z.cidrv6()]));

/** What is wrong with an environment variable. */
function variableFault(text: string, name: string): string | undefined {
  if (LOGIN.test(text)) return "contains a login; put it into a Secret and name that in environmentSecret";
  const isWrong =
    /^(?:https?_proxy|HTTPS?_PROXY)$/.test(name) && text.trim() !== "" && !proxyUrl(text.trim());
  return isWrong ? "is not an http or https URL such as http://proxy.example:3128" : undefined;
}

/** A pattern of a whole text. */
function whole(pattern: string): RegExp {
  return new RegExp(`^${pattern}$`);
}

/** The settings of Pulumi.yaml, which holds their descriptions and defaults. */
export const fields = z.object({
  name: matching(
    "a name of at most 50 lower-case letters, digits and dashes that begins with a letter",
    /^[a-z]([a-z0-9-]{0,48}[a-z0-9])?$/,
  ),
  exporter: object(),
  keys: secretMap(KEY_NAME),
  managementKey: secretText(),
  runbookBaseUrl: link(),
  dashboardBaseUrl: link(),
  alerts: object(),

  gateway: matching(LABEL, whole(LABEL_VALUE)),

  kubernetes: flag(),
  kubeconfig: anyText(),
  kubeContext: anyText(),
  protect: flag(),
  adopt: matching("the id of a stack that a refusal shows", /^[0-9a-f]{8}$/, "optional"),
  namespace: namespace("required"),
  createNamespace: flag(),
  image: anyText(),
  imagePullPolicy: choice(["", "Always", "IfNotPresent", "Never"]),
  imagePullSecrets: textList(),
  keysSecret: objectName(),
  managementSecret: objectName(),
  waitForConfig: flag(),
  shards: count(MOST_SHARDS),
  replicas: count(10),
  logLevel: choice(["debug", "info", "warn", "error"]),
  resources: json(
    "an object with requests, limits and claims, and amounts such as 512Mi",
    containerResources,
  ),
  environment: textMap(whole(VARIABLE_NAME), variableFault),
  environmentSecret: objectName(),
  caConfigMap: objectName(),
  webConfigSecret: objectName(),
  tlsSecret: objectName(),
  serviceAccount: json("an object with create, name and annotations", serviceAccount),
  podSecurityContext: object(),
  securityContext: object(),
  commonLabels: labels(),
  podLabels: labels(),
  podAnnotations: annotations(),
  nodeSelector: labels(),
  tolerations: objects(),
  affinity: object(),
  priorityClass: objectName(),
  topologySpreadConstraints: json(
    "a list of objects with maxSkew, topologyKey and whenUnsatisfiable",
    spreads,
  ),
  extraArgs: textList(),
  extraEnv: json("a list of variables, with a string without a login as value, or valueFrom", variables),
  extraVolumes: otherThan(OWN_VOLUMES),
  extraVolumeMounts: json("a list of objects with name and mountPath", mounts),
  initContainers: otherThan(["exporter"]),
  scrape: choice(["serviceMonitor", "podMonitor", "annotations", "none"]),
  scrapeInterval: matching("a duration such as 30s", /^[1-9]\d{0,4}(s|m)$/),
  monitorEndpoint: endpoint(),
  monitorLabels: labels(),
  rules: choice(["prometheusRule", "configMap", "none"]),
  ruleLabels: labels(),
  dashboardConfigMaps: flag(),
  dashboardLabels: labels(),
  dashboardAnnotations: annotations(),
  dashboardNamespace: namespace("optional"),
  networkPolicy: flag(),
  scrapeFrom: labels(),
  scrapeFromAddresses: json("a list of ranges of addresses such as 192.0.2.0/24", addresses),
  networkPolicyIngress: objects(),
  networkPolicyEgress: objects(),

  grafana: flag(),
  grafanaUrl: link(),
  grafanaAuth: secretText(),
  grafanaFolder: matching("a title of 1 to 189 characters", /^\S.{0,188}$/),
  grafanaParentFolder: grafanaUid("optional"),
  grafanaOrganization: matching("the number of an organization", /^[1-9]\d{0,8}$/, "optional"),
  grafanaDashboards: flag(),
  grafanaDatasourceUid: grafanaUid("required"),
  grafanaDatasourceUrl: link(),
  grafanaAlerts: flag(),
});

export type Fields = z.output<typeof fields>;

/** The settings, without those that could not be parsed. */
export type Known = { readonly [Name in keyof Fields]?: Fields[Name] | undefined };
