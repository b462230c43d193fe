import { RunError, secret, type Output } from "@pulumi/pulumi";
import type { z } from "zod";
import { join } from "node:path";
import { readAlertChanges } from "../dashboards/rules/alert-changes.ts";
import { createRules } from "../dashboards/rules/index.ts";
import type { RuleOptions } from "../dashboards/rules/settings.ts";
import { composeConfig, describedConfig, MANAGEMENT_ENTRY, type ExporterConfig } from "./exporter-config.ts";
import { isKubeconfigContent } from "./kubernetes/cluster.ts";
import { ruleOptions } from "./rule-options.ts";
import { fields, type Fields, type Known } from "./setting-fields.ts";

/** The validated settings of a deployment. Secrets are Outputs, which Pulumi encrypts. */
export interface Settings {
  readonly rules: RuleOptions;
  readonly kubernetes: KubernetesSettings | undefined;
  readonly grafana: GrafanaSettings | undefined;
}

export interface KubernetesSettings extends Omit<
  Fields,
  "exporter" | "kubeconfig" | "keys" | "keysSecret" | "managementKey" | "managementSecret" | "grafanaAuth"
> {
  readonly kubeconfig: Output<string> | undefined;
  readonly config: ExporterConfig;
  readonly keys: SecretEntries;
  readonly management: SecretEntries | undefined;
}

/** The entries of a Secret to create, or the name of an existing Secret. */
export type SecretEntries =
  | { readonly kind: "own"; readonly entries: Readonly<Record<string, Output<string>>> }
  | { readonly kind: "existing"; readonly name: string };

export interface GrafanaSettings extends Pick<
  Fields,
  | "name"
  | "grafanaUrl"
  | "grafanaFolder"
  | "grafanaParentFolder"
  | "grafanaOrganization"
  | "grafanaDashboards"
  | "grafanaDatasourceUid"
  | "grafanaDatasourceUrl"
  | "grafanaAlerts"
> {
  readonly auth: Output<string>;
}

/** Returns the value of a setting as the engine passes it: a string; objects, lists and flags as JSON. */
export type ReadSetting = (name: string) => string | undefined;

/**
 * The only function that reads the settings. Their defaults are in Pulumi.yaml. `written`: problems of how
 * the settings are written.
 * @throws RunError with every problem at once; no message shows a secret.
 */
export function readSettings(read: ReadSetting, written: readonly string[] = []): Settings {
  const raw = Object.fromEntries(Object.keys(fields.shape).map((name) => [name, read(name)]));
  const parsed = fields.safeParse(raw);
  const problems = [...written, ...(parsed.success ? [] : problemsOf(parsed.error))];
  const known = parsed.success ? parsed.data : readable(raw, parsed.error);
  const config = exporterConfig(known, problems);
  const rules = ruleOptions(known, config);
  problems.push(...readAlertChanges(known.alerts ?? {}, createRules()).problems);
  problems.push(...broken(known));
  if (!parsed.success || problems.length > 0) throw refusal(problems);
  return {
    rules,
    kubernetes: config && parsed.data.kubernetes ? kubernetesSettings(parsed.data, config) : undefined,
    grafana: parsed.data.grafana ? grafanaSettings(parsed.data) : undefined,
  };
}

/** The settings that can be read although others are wrong, so that all problems are reported at once. */
function readable(raw: Readonly<Record<string, unknown>>, { issues }: z.ZodError): Known {
  const wrong = new Set(issues.map(({ path }) => path[0]));
  return fields.partial().parse(Object.fromEntries(Object.entries(raw).filter(([name]) => !wrong.has(name))));
}

function refusal(problems: readonly string[]): RunError {
  const count = problems.length === 1 ? "1 setting is wrong" : `${problems.length} settings are wrong`;
  return new RunError(`Cannot deploy: ${count}\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
}

function problemsOf({ issues }: z.ZodError): string[] {
  return issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
}

function exporterConfig(known: Known, problems: string[]): ExporterConfig | undefined {
  const { kubernetes, exporter, keys, keysSecret, managementKey, managementSecret } = known;
  // Without Kubernetes, the configuration describes an exporter elsewhere, whose schedule the rules follow.
  const isElsewhere = kubernetes === false;
  if (kubernetes === undefined || !exporter) return undefined;
  if (isElsewhere && Object.keys(exporter).length === 0) return undefined;
  const composed = isElsewhere
    ? describedConfig(exporter, known.shards ?? 1)
    : composeConfig(exporter, {
        // Do not report secrets as missing if they could not be read.
        keys: keys && keysSecret === "" ? Object.keys(keys) : undefined,
        management: managementKey !== "" || managementSecret !== "",
        shards: known.shards,
      });
  if (composed.ok) return composed.config;
  problems.push(...composed.problems);
  return undefined;
}

/** The rules between settings that are broken. */
function broken(known: Known): readonly string[] {
  const { kubernetes, keys, keysSecret, managementKey, managementSecret, grafana } = known;
  const hasKeys = Object.keys(keys ?? {}).length > 0;
  const demands: readonly (readonly [boolean, string])[] = [
    [
      kubernetes === false && grafana === false,
      "kubernetes: is false, and so is grafana: there is nothing to deploy; set one of them to true",
    ],
    [
      kubernetes === true && known.image === "",
      "image: is empty; it must be an image built from the Dockerfile",
    ],
    [hasKeys && Boolean(keysSecret), "keysSecret: cannot be combined with keys; remove one of them"],
    [
      Boolean(managementKey && managementSecret),
      "managementSecret: cannot be combined with managementKey; remove one of them",
    ],
    [grafana === true && known.grafanaUrl === "", "grafanaUrl: is empty; it must be the URL of Grafana"],
    [
      grafana === true && known.grafanaAuth === "",
      "grafanaAuth: is empty; it must be a service account's token",
    ],
  ];
  return demands.filter(([isBroken]) => isBroken).map(([, text]) => text);
}

function kubernetesSettings(settings: Fields, config: ExporterConfig): KubernetesSettings {
  const { kubeconfig, keys, keysSecret, managementKey, managementSecret, ...rest } = settings;
  const { exporter: _written, grafanaAuth: _auth, ...plain } = rest;
  const hasManagement = managementKey !== "" || managementSecret !== "";
  return {
    ...plain,
    kubeconfig: kubeconfig === "" ? undefined : secret(kubeconfigOf(kubeconfig)),
    config,
    keys: secretEntries(keysSecret, keys),
    management: hasManagement
      ? secretEntries(managementSecret, { [MANAGEMENT_ENTRY]: managementKey })
      : undefined,
  };
}

/** A path is relative to Pulumi.yaml, but the program and the plugin run in the folder below. */
function kubeconfigOf(text: string): string {
  return isKubeconfigContent(text) || /^[~/]/.test(text) ? text : join("..", text);
}

function secretEntries(existing: string, texts: Readonly<Record<string, string>>): SecretEntries {
  if (existing !== "") return { kind: "existing", name: existing };
  return {
    kind: "own",
    entries: Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, secret(text)])),
  };
}

function grafanaSettings(settings: Fields): GrafanaSettings {
  const { name, grafanaUrl, grafanaFolder, grafanaParentFolder, grafanaOrganization } = settings;
  const { grafanaDashboards, grafanaDatasourceUid, grafanaDatasourceUrl } = settings;
  const { grafanaAlerts, grafanaAuth } = settings;
  return {
    name,
    grafanaUrl,
    grafanaFolder,
    grafanaParentFolder,
    grafanaOrganization,
    grafanaDashboards,
    grafanaDatasourceUid,
    grafanaDatasourceUrl,
    grafanaAlerts,
    auth: secret(grafanaAuth),
  };
}
