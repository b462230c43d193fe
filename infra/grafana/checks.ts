import type { ResourceTransformation } from "@pulumi/pulumi";
import { z } from "zod";
import { beforeCreate } from "../before-create.ts";
import type { GrafanaSettings } from "../settings.ts";
import { folderUid } from "./content.ts";
import type { GrafanaClient } from "./grafana-client.ts";

export type CheckedSettings = Pick<GrafanaSettings, "name" | "grafanaDatasourceUid" | "grafanaDatasourceUrl">;

/**
 * Refuses to create what Grafana already has: `up` would replace a dashboard without an error, and `destroy`
 * would delete what another stack or a person made. Also refuses alert rules for a data source that does not
 * exist, because the provider would retry them for two minutes.
 */
export function checkBeforeCreate(client: GrafanaClient, settings: CheckedSettings): ResourceTransformation {
  return beforeCreate("refuse-foreign-grafana", "grafana:", async ({ type, newInputs }) => {
    const problem = await problemOf(client, settings, { type, inputs: newInputs });
    if (problem !== undefined) throw new Error(problem);
  });
}

export interface CheckedResource {
  readonly type: string;
  readonly inputs: unknown;
}

/** Returns why a resource must not be created, or undefined. */
export async function problemOf(
  client: GrafanaClient,
  settings: CheckedSettings,
  { type, inputs }: CheckedResource,
): Promise<string | undefined> {
  if (type.endsWith(":Folder")) return folderProblem(client, settings);
  if (type.endsWith(":Dashboard")) return dashboardProblem(client, settings, dashboard.parse(inputs));
  if (type.endsWith(":RuleGroup")) return datasourceProblem(client, settings);
  return undefined;
}

const dashboard = z
  .object({ configJson: z.string() })
  .transform(({ configJson }) => z.object({ uid: z.string() }).parse(JSON.parse(configJson)));

async function folderProblem(client: GrafanaClient, { name }: CheckedSettings): Promise<string | undefined> {
  const uid = folderUid(name);
  const { isFound } = await client.get(`/folders/${uid}`);
  if (!isFound) return undefined;
  return `The folder with the uid "${uid}" exists and was not created by this stack; set another name, or delete it`;
}

const stored = z.object({ meta: z.object({ folderUid: z.string().default("") }) });

async function dashboardProblem(
  client: GrafanaClient,
  { name }: CheckedSettings,
  { uid }: z.output<typeof dashboard>,
): Promise<string | undefined> {
  const { isFound, body } = await client.get(`/dashboards/uid/${uid}`);
  if (!isFound) return undefined;
  const { meta } = stored.parse(body);
  if (meta.folderUid === folderUid(name)) return undefined;
  const place = meta.folderUid === "" ? "no folder" : `the folder with the uid "${meta.folderUid}"`;
  return (
    `The dashboard "${uid}" exists in ${place} and was not created by this stack; ` +
    "set grafanaDashboards to false, because one set shows all gateways, or delete it"
  );
}

const notFound = z.object({ message: z.string().regex(/data source not found/i) });

async function datasourceProblem(
  client: GrafanaClient,
  { grafanaDatasourceUid: uid, grafanaDatasourceUrl }: CheckedSettings,
): Promise<string | undefined> {
  // A data source of this stack may not exist yet.
  if (grafanaDatasourceUrl !== "") return undefined;
  const { isFound, body } = await client.get(`/datasources/uid/${uid}`);
  // Other refusals come from a proxy that does not allow this path.
  if (isFound || !notFound.safeParse(body).success) return undefined;
  return `grafanaDatasourceUid: there is no data source with the uid "${uid}"; set the uid of one, or grafanaDatasourceUrl to create it`;
}
