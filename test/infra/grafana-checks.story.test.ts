import { output } from "@pulumi/pulumi";
import { beforeEach, expect, test } from "vitest";
import { problemOf } from "../../infra/grafana/checks.ts";
import { createGrafanaClient } from "../../infra/grafana/grafana-client.ts";
import { answering, startScriptedServer } from "../support/scripted-server.ts";
import { DASHBOARD, runMocked } from "./mocked-program.ts";

const FIRST = { name: "first", grafanaDatasourceUid: "prometheus", grafanaDatasourceUrl: "" };
const SECOND = { ...FIRST, name: "second" };

const TOKEN = "glsa_test";
const FOLDER = { type: "grafana:oss/folder:Folder", inputs: { title: "AI gateway" } };
const GROUP = { type: "grafana:alerting/ruleGroup:RuleGroup", inputs: {} };
const OVERVIEW = { type: "grafana:oss/dashboard:Dashboard", inputs: { configJson: DASHBOARD.json } };

/** What Grafana has, by path. */
let held: Record<string, object>;
let url: string;

beforeEach(async () => {
  held = { "/api/datasources/uid/prometheus": { uid: "prometheus" } };
  const server = await startScriptedServer((response, request) => {
    const answer = held[request.path];
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return answering(401)(response, request);
    return answering(answer ? 200 : 404, answer ?? { message: "Data source not found" })(response, request);
  });
  ({ url } = server);
});

test("an empty Grafana has room for everything", async () => {
  expect(await problems(FIRST)).toEqual([]);
});

test("a second stack replaces no dashboard of the first, and shares no folder with a stack of the same name", async () => {
  held["/api/folders/folder-first"] = { uid: "folder-first" };
  held[`/api/dashboards/uid/${DASHBOARD.uid}`] = { meta: { folderUid: "folder-first" } };
  expect(await problems(SECOND)).toEqual([
    'The dashboard "aigateway-overview" exists in the folder with the uid "folder-first" and was not created by this stack; set grafanaDashboards to false, because one set shows all gateways, or delete it',
  ]);
  expect(await problems(FIRST)).toEqual([
    'The folder with the uid "folder-first" exists and was not created by this stack; set another name, or delete it',
  ]);
});

test("without dashboards a second stack deploys its alerts", async () => {
  const settings = { kubernetes: false, grafana: true, grafanaUrl: url, grafanaAuth: TOKEN, name: "second" };
  const resources = await runMocked({ ...settings, grafanaDashboards: false });
  expect(resources.filter(({ type }) => type === OVERVIEW.type)).toEqual([]);
  expect(resources.filter(({ type }) => type === GROUP.type)).not.toEqual([]);
});

test("a data source that does not exist is reported at once, unless this stack creates it", async () => {
  const wrong = { ...FIRST, grafanaDatasourceUid: "promethesu" };
  expect(await problems(wrong)).toEqual([
    'grafanaDatasourceUid: there is no data source with the uid "promethesu"; set the uid of one, or grafanaDatasourceUrl to create it',
  ]);
  expect(await problems({ ...wrong, grafanaDatasourceUrl: "http://prometheus.example" })).toEqual([]);
});

test("a wrong token and a wrong address are reported without the token", async () => {
  const refused = createGrafanaClient({ url, auth: output("glsa_wrong"), organization: "" });
  await expect(problemOf(refused, FIRST, FOLDER)).rejects.toThrow(
    'Cannot ask Grafana for "/folders/folder-first": it answered 401; check grafanaAuth',
  );
  const absent = createGrafanaClient({ url: "http://127.0.0.1:1", auth: output(TOKEN), organization: "" });
  await expect(problemOf(absent, FIRST, FOLDER)).rejects.toThrow(
    'Cannot reach Grafana at "http://127.0.0.1:1"; check grafanaUrl',
  );
});

function clientOf() {
  return createGrafanaClient({ url: `${url}/`, auth: output(TOKEN), organization: "" });
}

async function problems(settingsOf: typeof FIRST): Promise<readonly string[]> {
  const found = await Promise.all(
    [FOLDER, OVERVIEW, GROUP].map((each) => problemOf(clientOf(), settingsOf, each)),
  );
  return found.filter((problem) => problem !== undefined);
}
