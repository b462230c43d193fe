import { z } from "zod";
import { KEY_NAME } from "../exporter/config/schema.ts";
import { choice, flag, matching, object, secretMap, secretText, textList, textMap } from "./setting-field.ts";

const objectName = (optional: "optional" | "required") =>
  matching(
    "a name of at most 50 lower-case letters, digits and dashes",
    /^[a-z0-9]([a-z0-9-]{0,48}[a-z0-9])?$/,
    optional,
  );

const secretName = () =>
  matching("the name of a Secret", /^[a-z0-9]([a-z0-9.-]{0,250}[a-z0-9])?$/, "optional");

const link = () => matching("an http or https URL", /^https?:\/\/[^\s/]+\S*$/, "optional");

const grafanaUid = (optional: "optional" | "required") =>
  matching("a uid of at most 40 letters, digits, dashes and underscores", /^[\w-]{1,40}$/, optional);

const anyText = () => matching("a string", /^/);

/** The settings of Pulumi.yaml, which holds their descriptions and defaults. */
export const fields = z.object({
  name: objectName("required"),
  exporter: object(),
  keys: secretMap(KEY_NAME),
  managementKey: secretText(),
  runbookBaseUrl: link(),
  dashboardBaseUrl: link(),

  kubernetes: flag(),
  kubeconfig: anyText(),
  kubeContext: anyText(),
  namespace: objectName("required"),
  createNamespace: flag(),
  image: anyText(),
  imagePullSecrets: textList(),
  keysSecret: secretName(),
  managementSecret: secretName(),
  logLevel: choice(["debug", "info", "warn", "error"]),
  resources: object(),
  scrape: choice(["serviceMonitor", "podMonitor", "annotations", "none"]),
  scrapeInterval: matching("a duration such as 30s", /^[1-9]\d{0,4}(s|m)$/),
  monitorLabels: textMap(),
  rules: choice(["prometheusRule", "configMap", "none"]),
  dashboardConfigMaps: flag(),
  dashboardLabels: textMap(),
  dashboardAnnotations: textMap(),
  networkPolicy: flag(),
  scrapeFrom: textMap(),

  grafana: flag(),
  grafanaUrl: link(),
  grafanaAuth: secretText(),
  grafanaFolder: matching("a title of 1 to 189 characters", /^\S.{0,188}$/),
  grafanaDatasourceUid: grafanaUid("required"),
  grafanaDatasourceUrl: link(),
  grafanaAlerts: flag(),
  grafanaRecordingDatasourceUid: grafanaUid("optional"),
});

export type Fields = z.output<typeof fields>;

/** The settings, without those that could not be parsed. */
export type Known = { readonly [Name in keyof Fields]?: Fields[Name] | undefined };
