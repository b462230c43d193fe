import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";

/** A simulated Grafana: the calls that the provider makes, with Grafana's validation of the bodies. */
export interface GrafanaApi {
  readonly url: string;
  /** The stored titles of dashboards, and names of rules by group. */
  readonly dashboards: ReadonlyMap<string, string>;
  readonly ruleNames: ReadonlyMap<string, readonly string[]>;
  stop(): Promise<void>;
}

export const GRAFANA_TOKEN = "glsa_test";

/** Starts it on a free port, with one data source. */
export async function startGrafanaApi(datasourceUids: readonly string[]): Promise<GrafanaApi> {
  const state = {
    folders: new Set<string>(),
    dashboards: new Map<string, string>(),
    places: new Map<string, string>(),
    groups: new Map<string, Group>(),
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      const isKnown = request.headers.authorization === `Bearer ${GRAFANA_TOKEN}`;
      const [status, message] = isKnown
        ? answer(`${request.method} ${request.url}`, body, state, datasourceUids)
        : [401, "Unauthorized"];
      const text = typeof message === "string" ? JSON.stringify({ message }) : JSON.stringify(message);
      response.writeHead(status, { "content-type": "application/json" }).end(text);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${portOf(server.address())}`,
    dashboards: state.dashboards,
    get ruleNames() {
      return new Map([...state.groups].map(([name, { rules }]) => [name, rules.map(({ title }) => title)]));
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface State {
  readonly folders: Set<string>;
  readonly dashboards: Map<string, string>;
  /** The folder of each dashboard. */
  readonly places: Map<string, string>;
  readonly groups: Map<string, Group>;
}

const uid = z.string().regex(/^[\w-]{1,40}$/);
const duration = z.string().regex(/^(\d+(ms|[smhdwy]))+$/);

const folderBody = z.object({ title: z.string().min(1).max(189), uid });
const dashboardBody = z.object({
  dashboard: z.looseObject({ uid, title: z.string().min(1), id: z.null().optional() }),
  folderUid: uid,
  overwrite: z.boolean(),
});
const query = z.object({
  refId: z.string().min(1),
  datasourceUid: z.string(),
  relativeTimeRange: z.object({ from: z.number().min(0), to: z.number().min(0) }),
  model: z.looseObject({ refId: z.string() }),
});
const rule = z.object({
  uid,
  title: z.string().min(1).max(190),
  folderUID: uid,
  ruleGroup: z.string(),
  condition: z.string().optional(),
  for: duration.optional(),
  keep_firing_for: duration.optional(),
  noDataState: z.enum(["OK", "NoData", "KeepLast", "Alerting"]).optional(),
  execErrState: z.enum(["OK", "Error", "KeepLast", "Alerting"]).optional(),
  missingSeriesEvalsToResolve: z.int().min(1).optional(),
  labels: z.record(z.string().regex(/^[A-Za-z_]\w*$/), z.string()).optional(),
  annotations: z.record(z.string(), z.string()).optional(),
  record: z
    .object({
      from: z.string(),
      metric: z.string().regex(/^[A-Za-z_:][\w:]*$/),
      targetDatasourceUid: z.string(),
    })
    .optional(),
  data: z.array(query).min(1),
});
const groupBody = z.object({
  title: z.string().min(1).max(190),
  folderUid: uid,
  interval: z.int().min(10).multipleOf(10),
  rules: z.array(rule).min(1),
});
type Group = z.output<typeof groupBody>;

function answer(
  call: string,
  body: string,
  state: State,
  datasourceUids: readonly string[],
): readonly [number, string | object] {
  try {
    if (call.startsWith("GET ")) return found(call.slice("GET /api/".length), state, datasourceUids);
    const value: unknown = JSON.parse(body);
    if (call === "POST /api/folders") return createFolder(folderBody.parse(value), state);
    if (call === "POST /api/dashboards/db") return saveDashboard(dashboardBody.parse(value), state);
    const [, folder, group] =
      /^PUT \/api\/v1\/provisioning\/folder\/([^/]+)\/rule-groups\/([^/]+)$/.exec(call) ?? [];
    if (folder === undefined || group === undefined) return [404, `unknown call: ${call}`];
    return putGroup(groupBody.parse(value), { folder, group }, state, datasourceUids);
  } catch (error) {
    return [400, error instanceof Error ? error.message : "bad request"];
  }
}

function found(
  path: string,
  { folders, dashboards, places }: State,
  datasourceUids: readonly string[],
): readonly [number, string | object] {
  const [kind = "", id = ""] = path.split(/\/(?:uid\/)?/);
  if (kind === "folders" && folders.has(id)) return [200, { uid: id }];
  if (kind === "dashboards" && dashboards.has(id)) return [200, { meta: { folderUid: places.get(id) } }];
  if (kind === "datasources")
    return datasourceUids.includes(id) ? [200, { uid: id }] : [404, "Data source not found"];
  return [404, "not found"];
}

function createFolder(
  { uid: folder }: z.output<typeof folderBody>,
  { folders }: State,
): readonly [number, string] {
  if (folders.has(folder)) return [409, "a folder with that uid exists"];
  folders.add(folder);
  return [200, ""];
}

function saveDashboard(
  { dashboard, folderUid }: z.output<typeof dashboardBody>,
  { folders, dashboards, places }: State,
): readonly [number, string] {
  if (!folders.has(folderUid)) return [404, "folder not found"];
  if (folders.has(dashboard.uid)) return [412, "a folder has this uid"];
  dashboards.set(dashboard.uid, dashboard.title);
  places.set(dashboard.uid, folderUid);
  return [200, ""];
}

function putGroup(
  body: Group,
  { folder, group }: { readonly folder: string; readonly group: string },
  { folders, groups }: State,
  datasourceUids: readonly string[],
): readonly [number, string] {
  if (!folders.has(folder)) return [404, "folder not found"];
  const others = [...groups].filter(([name]) => name !== group).flatMap(([, { rules }]) => rules);
  const fault = body.rules.map((one, index) =>
    faultOf(one, [...others, ...body.rules.slice(0, index)], datasourceUids),
  );
  const first = fault.find((text) => text !== undefined);
  if (first !== undefined) return [400, first];
  if (body.title !== group || body.folderUid !== folder)
    return [400, "title and folderUid must match the path"];
  groups.set(group, body);
  return [200, ""];
}

function faultOf(
  one: z.output<typeof rule>,
  others: Group["rules"],
  datasourceUids: readonly string[],
): string | undefined {
  const refIds = one.data.map(({ refId }) => refId);
  const target = one.record?.from ?? one.condition ?? "";
  const used = [
    ...one.data.map(({ datasourceUid }) => datasourceUid),
    ...(one.record ? [one.record.targetDatasourceUid] : []),
  ];
  const unknown = used.find((source) => source !== "__expr__" && !datasourceUids.includes(source));
  if (unknown !== undefined) return `${one.title}: data source "${unknown}" not found`;
  if (!refIds.includes(target)) return `${one.title}: "${target}" is not one of its queries`;
  if (one.data.some(({ refId, model }) => refId !== model.refId))
    return `${one.title}: a model has another refId`;
  if (others.some(({ uid: taken }) => taken === one.uid)) return `${one.title}: its uid is already in use`;
  if (others.some(({ title }) => title === one.title))
    return `${one.title}: its title is already in use in this folder`;
  if (one.record !== undefined && (one.for !== undefined || one.condition !== undefined)) {
    return `${one.title}: is both a recording and an alert rule`;
  }
  return undefined;
}

function portOf(address: string | AddressInfo | null): number {
  return typeof address === "object" && address !== null ? address.port : 0;
}
