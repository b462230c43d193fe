import { getProject, getStack, runtime } from "@pulumi/pulumi";
import { closest, distance } from "fastest-levenshtein";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { z } from "zod";
import { isKubeconfigContent } from "./kubernetes/cluster.ts";
import { fields } from "./setting-fields.ts";

/** The stack's configuration as the user wrote it. */
export interface WrittenConfig {
  /** All values by their full names: `aigateway-exporter:image`. */
  readonly values: Readonly<Record<string, string>>;
  /** Whether a value, or any part of it, is encrypted. */
  readonly isSecret: (fullName: string) => boolean;
  /**
   * The text of Pulumi.<stack>.yaml; empty if it is elsewhere. Only this file shows which parts of an object
   * are encrypted.
   */
  readonly stackFile: string;
}

/** Reads the configuration of the running stack. */
export function writtenConfig(): WrittenConfig {
  const file = fileURLToPath(new URL(`../Pulumi.${getStack()}.yaml`, import.meta.url));
  const isConfigSecret: unknown = Reflect.get(runtime, "isConfigSecret");
  if (typeof isConfigSecret !== "function") throw new Error("Cannot find isConfigSecret in Pulumi's SDK");
  return {
    values: runtime.allConfig(),
    isSecret: (fullName) => Reflect.apply(isConfigSecret, undefined, [fullName]) === true,
    stackFile: existsSync(file) ? readFileSync(file, "utf8") : "",
  };
}

/**
 * Reports names that are not settings, which Pulumi ignores, and secrets in plain text. Messages contain no
 * secrets.
 */
export function writtenProblems(config: WrittenConfig): readonly string[] {
  const names = Object.keys(config.values);
  return [
    ...names.flatMap(misspelt),
    ...plainSecrets(config),
    ...names.flatMap((name) => lostSecret(name, config)),
  ];
}

/** A setting that is encrypted, although Pulumi would write it to the state in plain text. */
function lostSecret(fullName: string, { isSecret }: WrittenConfig): readonly string[] {
  const name = fullName.slice(getProject().length + 1);
  const isKept = !(name in fields.shape) || name === "keys" || name in HOLDS_SECRET;
  if (isKept || !fullName.startsWith(`${getProject()}:`) || !isSecret(fullName)) return [];
  const remedy =
    name === "environment" || name === "extraEnv"
      ? "put it into a Secret and name that in environmentSecret"
      : "set it without --secret";
  return [
    `${name}: a value is encrypted, but would be in plain text in the state and in the cluster; ${remedy}`,
  ];
}

function misspelt(fullName: string): readonly string[] {
  const colon = fullName.indexOf(":");
  const [project, name] = [fullName.slice(0, colon), fullName.slice(colon + 1)];
  const settings = Object.keys(fields.shape);
  if (project === getProject()) {
    return settings.includes(name) ? [] : [`${name}: is not a setting${advice(name, settings)}`];
  }
  const isOurs = distance(project, getProject()) <= NEAR && settings.includes(name);
  return isOurs ? [`${fullName}: is not a setting; did you mean ${getProject()}:${name}?`] : [];
}

const NEAR = 2;

function advice(name: string, settings: readonly string[]): string {
  const lower = name.toLowerCase();
  const near = settings.map((setting) => setting.toLowerCase());
  const index = near.indexOf(closest(lower, near));
  const nearest = settings[index] ?? "";
  return distance(lower, near[index] ?? "") <= Math.max(NEAR, nearest.length / 3)
    ? `; did you mean ${nearest}?`
    : "; Pulumi.yaml lists all settings";
}

function plainSecrets({ values, isSecret, stackFile }: WrittenConfig): readonly string[] {
  const isPlain = (name: string) => {
    const value = values[`${getProject()}:${name}`] ?? "";
    return HOLDS_SECRET[name]?.(value) === true && !isSecret(`${getProject()}:${name}`);
  };
  return [
    ...Object.keys(HOLDS_SECRET)
      .filter(isPlain)
      .map((name) => refusal(name, name)),
    ...plainKeys(values, isSecret, stackFile).map((key) => refusal(`keys.${key}`, `--path ${pathOf(key)}`)),
  ];
}

/** Which settings contain secrets: any value that is not empty, and a kubeconfig that is not a path. */
const HOLDS_SECRET: Readonly<Record<string, (value: string) => boolean>> = {
  managementKey: (value) => value !== "",
  grafanaAuth: (value) => value !== "",
  kubeconfig: isKubeconfigContent,
};

/** Without the stack's file, one encrypted key hides the others. */
function plainKeys(
  values: WrittenConfig["values"],
  isSecret: WrittenConfig["isSecret"],
  stackFile: string,
): readonly string[] {
  const fullName = `${getProject()}:keys`;
  if (!isSecret(fullName)) return Object.keys(record.safeParse(jsonOf(values[fullName] ?? "")).data ?? {});
  const written = z.object({ config: record }).safeParse(yamlOf(stackFile)).data?.config[fullName];
  return Object.entries(record.safeParse(written).data ?? {}).flatMap(([name, value]) =>
    name !== "secure" && !encrypted.safeParse(value).success ? [name] : [],
  );
}

const record = z.record(z.string(), z.unknown());
const encrypted = z.strictObject({ secure: z.string() });

function refusal(name: string, what: string): string {
  return `${name}: is in plain text; encrypt it: pulumi config set --secret ${what} (and replace it if others could read the file)`;
}

function pathOf(key: string): string {
  return /^\w+$/.test(key) ? `keys.${key}` : `'keys["${key}"]'`;
}

function jsonOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

function yamlOf(text: string): unknown {
  try {
    const value: unknown = parse(text);
    return value;
  } catch {
    return undefined;
  }
}
