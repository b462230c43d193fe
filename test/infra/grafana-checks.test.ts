import { output } from "@pulumi/pulumi";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { problemOf } from "../../infra/grafana/checks.ts";
import { createGrafanaClient } from "../../infra/grafana/grafana-client.ts";
import { GRAFANA_TOKEN, type GrafanaApi, startGrafanaApi } from "./grafana-api.ts";
import { callsOf } from "./grafana-bodies.ts";
import { DASHBOARD, runMocked } from "./mocked-program.ts";

const FIRST = { name: "first", grafanaDatasourceUid: "prometheus", grafanaDatasourceUrl: "" };
const SECOND = { ...FIRST, name: "second" };

const FOLDER = { type: "grafana:oss/folder:Folder", inputs: { title: "AI gateway" } };
const GROUP = { type: "grafana:alerting/ruleGroup:RuleGroup", inputs: {} };
const OVERVIEW = { type: "grafana:oss/dashboard:Dashboard", inputs: { configJson: DASHBOARD.json } };

let api: GrafanaApi;
beforeEach(async () => {
  api = await startGrafanaApi(["prometheus"]);
  onTestFinished(() => api.stop());
});

test("an empty Grafana has room for everything", async () => {
  expect(await problems(FIRST)).toEqual([]);
});

test("a second stack replaces no dashboard of the first, and shares no folder with a stack of the same name", async () => {
  await deploy("first");
  expect(await problems(SECOND)).toEqual([
    'The dashboard "aigateway-overview" exists in the folder with the uid "folder-first" and was not created by this stack; set grafanaDashboards to false, because one set shows all gateways, or delete it',
  ]);
  expect(await problems(FIRST)).toEqual([
    'The folder with the uid "folder-first" exists and was not created by this stack; set another name, or delete it',
  ]);
});

test("without dashboards a second stack deploys its alerts", async () => {
  const resources = await runMocked({ ...settings("second"), grafanaDashboards: false });
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
  const refused = createGrafanaClient({ url: api.url, auth: output("glsa_wrong"), organization: "" });
  await expect(problemOf(refused, FIRST, FOLDER)).rejects.toThrow(
    'Cannot ask Grafana for "/folders/folder-first": it answered 401; check grafanaAuth',
  );
  await api.stop();
  await expect(problemOf(clientOf(), FIRST, FOLDER)).rejects.toThrow(
    `Cannot reach Grafana at "${api.url}/"; check grafanaUrl`,
  );
});

function settings(name: string) {
  return { kubernetes: false, grafana: true, grafanaUrl: api.url, grafanaAuth: GRAFANA_TOKEN, name };
}

async function deploy(name: string): Promise<void> {
  for (const { method, path, body } of callsOf(await runMocked(settings(name)))) {
    const headers = { authorization: `Bearer ${GRAFANA_TOKEN}`, "content-type": "application/json" };
    const response = await fetch(api.url + path, { method, headers, body: JSON.stringify(body) });
    expect(response.status).toBe(200);
  }
}

function clientOf() {
  return createGrafanaClient({ url: `${api.url}/`, auth: output(GRAFANA_TOKEN), organization: "" });
}

async function problems(settingsOf: typeof FIRST): Promise<readonly string[]> {
  const found = await Promise.all(
    [FOLDER, OVERVIEW, GROUP].map((each) => problemOf(clientOf(), settingsOf, each)),
  );
  return found.filter((problem) => problem !== undefined);
}
