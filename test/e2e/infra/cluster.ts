import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { until } from "../../support/until.ts";
import { toolsDirectory } from "../../support/tools.ts";
import { type ControlPlane, type ControlPlaneTools, startControlPlane } from "./control-plane.ts";
import { type Kubelet, startKubelet } from "./kubelet.ts";
import type { KubernetesApi } from "./kubernetes-api.ts";

/** A control plane with one node and the kinds of the Prometheus operator. */
export interface Cluster extends ControlPlane {
  readonly kubelet: Kubelet;
}

export async function startCluster(tools: ControlPlaneTools): Promise<Cluster> {
  const plane = await startControlPlane(tools);
  await createOperatorKinds(plane.api);
  const kubelet = await startKubelet(plane);
  return {
    ...plane,
    kubelet,
    stop: async () => {
      await kubelet.stop();
      await plane.stop();
    },
  };
}

const KINDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

async function createOperatorKinds(api: KubernetesApi): Promise<void> {
  const folder = join(toolsDirectory(), "crds");
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".yaml"))) {
    const kind: unknown = parse(readFileSync(join(folder, file), "utf8"));
    await api.create(KINDS, kind);
  }
  await until(
    "the kinds of the operator to be served",
    async () => (await api.call("GET", "/apis/monitoring.coreos.com/v1/prometheusrules")).status,
    (status) => status === 200,
  );
  await until(
    "the monitors to be served",
    async () => (await api.call("GET", "/apis/monitoring.coreos.com/v1/servicemonitors")).status,
    (status) => status === 200,
  );
}
