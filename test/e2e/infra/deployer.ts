import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { ROOT } from "../../support/repository.ts";
import type { ControlPlane } from "./control-plane.ts";
import { NAMESPACE } from "./deployment.ts";

/** Creates the namespace and the account of infra/deployer.yaml, as an administrator, and returns the account's kubeconfig as an object. */
export async function createDeployer({ api, kubeconfig }: ControlPlane): Promise<Kubeconfig> {
  for (const document of parseAllDocuments(readFileSync(join(ROOT, "infra", "deployer.yaml"), "utf8"))) {
    const object = manifest.parse(document.toJS());
    await api.create(pathOf(object), object);
  }
  const account = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/deployer`;
  const { status } = tokenRequest.parse(await api.create(`${account}/token`, { spec: {} }));
  const config = kubeconfigSchema.parse(parse(readFileSync(kubeconfig, "utf8")));
  return { ...config, users: [{ name: "test", user: { token: status.token } }] };
}

export function writeKubeconfig(path: string, config: Kubeconfig): string {
  // JSON is YAML.
  writeFileSync(path, JSON.stringify(config));
  return path;
}

const kubeconfigSchema = z.looseObject({
  clusters: z.tuple([
    z.looseObject({ cluster: z.object({ server: z.string(), "certificate-authority-data": z.string() }) }),
  ]),
  users: z.array(z.unknown()),
});

export type Kubeconfig = z.output<typeof kubeconfigSchema>;

const manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ namespace: z.string().optional() }),
});

const tokenRequest = z.object({ status: z.object({ token: z.string() }) });

function pathOf({ apiVersion, kind, metadata: { namespace } }: z.output<typeof manifest>): string {
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${root}${namespace === undefined ? "" : `/namespaces/${namespace}`}/${kind.toLowerCase()}s`;
}
