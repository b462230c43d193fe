import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { parse, stringify } from "yaml";
import { z } from "zod";
import { createRules } from "../dashboards/rules/index.ts";
import { dashboards } from "../dashboards/index.ts";
import { createManifests } from "../infra/kubernetes/manifests.ts";
import { outgoing } from "../infra/kubernetes/network-policy.ts";
import { readSettings, type SecretEntries } from "../infra/settings.ts";

const project = z.object({ config: z.record(z.string(), z.object({ default: z.unknown() })) });
const stackFile = z.object({ config: z.record(z.string(), z.unknown()) });
const encrypted = z.strictObject({ secure: z.string() });

const [file = ""] = process.argv.slice(2);
try {
  process.stdout.write(stackManifests(file));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

/**
 * The objects that a stack with this `Pulumi.<stack>.yaml` deploys, as YAML, without a cluster, the passphrase, or the Secrets themselves.
 * @throws RunError with every problem of the settings.
 */
function stackManifests(path: string): string {
  const { config: declared } = project.parse(read(new URL("../Pulumi.yaml", import.meta.url)));
  const { config } = stackFile.parse(read(path));
  const name = basename(path, ".yaml").replace(/^Pulumi\./, "");
  const texts = new Map(
    Object.entries(declared).map(([setting, { default: preset }]) => {
      const value = config[`aigateway-exporter:${setting}`] ?? preset;
      return [setting, typeof value === "string" ? value : JSON.stringify(value, hidden)];
    }),
  );
  const { kubernetes, rules } = readSettings((setting) => texts.get(setting)?.replace(/^"(.*)"$/, "$1"));
  if (!kubernetes) return "";
  const { keys, management } = kubernetes;
  const manifests = createManifests({
    settings: { ...kubernetes, gateway: kubernetes.gateway || name },
    outgoing: outgoing(kubernetes),
    mounted: {
      keys: secretName(`${kubernetes.name}-keys`, keys),
      management: management && secretName(`${kubernetes.name}-management`, management),
    },
    rules: createRules(rules),
    dashboards,
    manager: "pulumi",
  });
  return manifests.map((manifest) => stringify(manifest, { aliasDuplicateObjects: false })).join("---\n");
}

/** The name of a Secret that exists, or that the stack creates for some entries. */
function secretName(own: string, secret: SecretEntries): string | undefined {
  if (secret.kind === "existing") return secret.name;
  return Object.keys(secret.entries).length === 0 ? undefined : own;
}

function read(path: string | URL): unknown {
  const value: unknown = parse(readFileSync(path, "utf8"));
  return value;
}

function hidden(_name: string, value: unknown): unknown {
  return encrypted.safeParse(value).success ? "hidden" : value;
}
