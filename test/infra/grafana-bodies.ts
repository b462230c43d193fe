import { z } from "zod";
import type { Registered } from "./mocked-program.ts";

/** The request that the provider sends for a resource. */
export interface ProviderCall {
  readonly method: "POST" | "PUT";
  readonly path: string;
  readonly body: unknown;
}

/** The requests that the Grafana provider sends to create these resources, in order. */
export function callsOf(resources: readonly Registered[]): readonly ProviderCall[] {
  return resources.flatMap(({ type, inputs }) => {
    switch (type) {
      case "grafana:oss/folder:Folder":
        return [{ method: "POST", path: "/api/folders", body: inputs } as const];
      case "grafana:oss/dashboard:Dashboard":
        return [{ method: "POST", path: "/api/dashboards/db", body: dashboardBody(inputs) } as const];
      case "grafana:alerting/ruleGroup:RuleGroup":
        return [groupCall(groupInputs.parse(inputs))];
      default:
        return [];
    }
  });
}

function dashboardBody(inputs: unknown): unknown {
  const { configJson, folder, message, overwrite } = z
    .object({ configJson: z.string(), folder: z.string(), message: z.string(), overwrite: z.boolean() })
    .parse(inputs);
  return { dashboard: JSON.parse(configJson), folderUid: folder, message, overwrite };
}

const groupInputs = z.object({
  folderUid: z.string(),
  name: z.string(),
  intervalSeconds: z.number(),
  rules: z.array(z.looseObject({ name: z.string(), datas: z.array(z.looseObject({ model: z.string() })) })),
});

function groupCall({ folderUid, name, intervalSeconds, rules }: z.output<typeof groupInputs>): ProviderCall {
  const path = `/api/v1/provisioning/folder/${folderUid}/rule-groups/${name}`;
  const bodies = rules.map(({ name: title, datas, keepFiringFor, ...rule }) => ({
    ...rule,
    title,
    folderUID: folderUid,
    ruleGroup: name,
    keep_firing_for: keepFiringFor,
    data: datas.map(({ model, ...data }) => ({ ...data, model: z.unknown().parse(JSON.parse(model)) })),
  }));
  return { method: "PUT", path, body: { title: name, folderUid, interval: intervalSeconds, rules: bodies } };
}
