import { z } from "zod";
import { KEY_NAME, MOST_SHARDS } from "../exporter/config/schema.ts";
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

const RESOURCES = ["requests", "limits", "claims"];

const containerResources = z
  .record(z.string(), z.unknown())
  .refine((value) => Object.keys(value).every((name) => RESOURCES.includes(name)));

const objectName = (optional: "optional" | "required") =>
  matching(
    "a name of at most 50 lower-case letters, digits and dashes",
    /^[a-z0-9]([a-z0-9-]{0,48}[a-z0-9])?$/,
    optional,
  );

const secretName = () =>
  matching("the name of an object", /^[a-z0-9]([a-z0-9.-]{0,250}[a-z0-9])?$/, "optional");

const objects = () => json("a list of objects", z.array(z.record(z.string(), z.unknown())));

const named = () => json("a list of objects with a name", z.array(z.looseObject({ name: z.string() })));

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

const LOGIN = "contains a login; put it into a Secret and name that in environmentSecret";

/** The settings of Pulumi.yaml, which holds their descriptions and defaults. */
export const fields = z.object({
  name: objectName("required"),
  exporter: object(),
  keys: secretMap(KEY_NAME),
  managementKey: secretText(),
  runbookBaseUrl: link(),
  dashboardBaseUrl: link(),
  alerts: object(),

  gateway: matching(
    "a label of at most 63 letters, digits, dashes, underscores and dots",
    /^[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/,
    "optional",
  ),

  kubernetes: flag(),
  kubeconfig: anyText(),
  kubeContext: anyText(),
  protect: flag(),
  adopt: matching("the id of a stack that a refusal shows", /^[0-9a-f]{8}$/, "optional"),
  namespace: objectName("required"),
  createNamespace: flag(),
  image: anyText(),
  imagePullPolicy: choice(["", "Always", "IfNotPresent", "Never"]),
  imagePullSecrets: textList(),
  keysSecret: secretName(),
  managementSecret: secretName(),
  waitForConfig: flag(),
  shards: count(MOST_SHARDS),
  replicas: count(10),
  logLevel: choice(["debug", "info", "warn", "error"]),
  resources: json("an object with requests, limits and claims", containerResources),
  environment: textMap((text) => (/:\/\/[^/\s]*@/.test(text) ? LOGIN : undefined)),
  environmentSecret: secretName(),
  caConfigMap: secretName(),
  webConfigSecret: secretName(),
  tlsSecret: secretName(),
  serviceAccount: json("an object with create, name and annotations", serviceAccount),
  podSecurityContext: object(),
  securityContext: object(),
  commonLabels: textMap(),
  podLabels: textMap(),
  podAnnotations: textMap(),
  nodeSelector: textMap(),
  tolerations: objects(),
  affinity: object(),
  priorityClass: secretName(),
  topologySpreadConstraints: json(
    "a list of objects with maxSkew, topologyKey and whenUnsatisfiable",
    spreads,
  ),
  extraArgs: textList(),
  extraEnv: named(),
  extraVolumes: named(),
  extraVolumeMounts: json("a list of objects with name and mountPath", mounts),
  initContainers: named(),
  scrape: choice(["serviceMonitor", "podMonitor", "annotations", "none"]),
  scrapeInterval: matching("a duration such as 30s", /^[1-9]\d{0,4}(s|m)$/),
  monitorEndpoint: object(),
  monitorLabels: textMap(),
  rules: choice(["prometheusRule", "configMap", "none"]),
  ruleLabels: textMap(),
  dashboardConfigMaps: flag(),
  dashboardLabels: textMap(),
  dashboardAnnotations: textMap(),
  dashboardNamespace: secretName(),
  networkPolicy: flag(),
  scrapeFrom: textMap(),
  scrapeFromAddresses: textList(),
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
  grafanaRecordingDatasourceUid: grafanaUid("optional"),
});

export type Fields = z.output<typeof fields>;

/** The settings, without those that could not be parsed. */
export type Known = { readonly [Name in keyof Fields]?: Fields[Name] | undefined };
