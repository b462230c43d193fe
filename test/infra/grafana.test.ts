import { describe, expect, onTestFinished, test } from "vitest";
import { dashboards } from "../../dashboards/index.ts";
import { createRules } from "../../dashboards/rules/index.ts";
import { isAlert } from "../../dashboards/rules/rule.ts";
import { GRAFANA_TOKEN, startGrafanaApi } from "./grafana-api.ts";
import { callsOf, type ProviderCall } from "./grafana-bodies.ts";
import { DASHBOARD, runMocked } from "./mocked-program.ts";
import type { Changes } from "./program-settings.ts";

const GRAFANA: Changes = {
  kubernetes: false,
  grafana: true,
  grafanaUrl: "https://grafana.example",
  grafanaAuth: GRAFANA_TOKEN,
};

describe("the Grafana part", () => {
  test("is a folder, dashboards and rule groups with fixed uids", async () => {
    const resources = await runMocked(GRAFANA);
    const alerting = createRules().filter(({ rules }) => rules.some(isAlert));
    expect(resources.map(({ type, name }) => `${type} ${name}`).toSorted()).toEqual(
      [
        "grafana:oss/dashboard:Dashboard grafana-aigateway-overview",
        "grafana:oss/folder:Folder grafana",
        "pulumi:providers:grafana grafana",
        ...alerting.map(({ name }) => `grafana:alerting/ruleGroup:RuleGroup grafana-${name}`),
      ].toSorted(),
    );
    expect(resources.find(({ type }) => type.endsWith(":Folder"))?.inputs).toEqual({
      title: "AI gateway",
      uid: "folder-aigateway-exporter",
      preventDestroyIfNotEmpty: true,
    });
    expect(resources.find(({ type }) => type.endsWith(":Dashboard"))?.inputs).toMatchObject({
      folder: "folder-aigateway-exporter",
      configJson: DASHBOARD.json,
    });
  });

  test("keeps the token secret", async () => {
    const resources = await runMocked(GRAFANA);
    expect(resources.find(({ type }) => type === "pulumi:providers:grafana")?.inputs).toEqual({
      url: "https://grafana.example",
      auth: { secret: GRAFANA_TOKEN },
    });
    const others = resources.filter(({ type }) => type !== "pulumi:providers:grafana");
    expect(JSON.stringify(others)).not.toContain(GRAFANA_TOKEN);
  });

  test("creates a data source and omits alerts if configured so", async () => {
    const resources = await runMocked({
      ...GRAFANA,
      grafanaDatasourceUrl: "http://prometheus.example",
      grafanaAlerts: false,
    });
    expect(resources.find(({ type }) => type.endsWith(":DataSource"))?.inputs).toEqual({
      type: "prometheus",
      name: "prometheus",
      uid: "prometheus",
      url: "http://prometheus.example",
    });
    expect(resources.filter(({ type }) => type.endsWith(":RuleGroup"))).toEqual([]);
  });

  test.each<[string, Changes, (rules: readonly string[]) => void]>([
    ["alerts", {}, (names) => expect(names).not.toContain("key:aigateway_limit_credits:latest")],
    [
      "alerts and recorded series",
      { grafanaRecordingDatasourceUid: "mimir" },
      (names) => expect(names).toContain("key:aigateway_limit_credits:latest"),
    ],
  ])("is accepted by Grafana's API: %s", async (_name, changes, check) => {
    const api = await startGrafanaApi(["prometheus", "mimir"]);
    onTestFinished(() => api.stop());
    const answers = await sendAll(api.url, callsOf(await runMocked({ ...GRAFANA, ...changes }, dashboards)));
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect([...api.dashboards]).toEqual(dashboards.map(({ uid, title }) => [uid, title]));
    const names = [...api.ruleNames.values()].flat();
    expect(names).toContain("AIGatewayKeyExhausted");
    check(names);
  });

  test("is refused with a data source that does not exist", async () => {
    const api = await startGrafanaApi(["another"]);
    onTestFinished(() => api.stop());
    const answers = await sendAll(api.url, callsOf(await runMocked(GRAFANA)));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBe(createRules().filter(({ rules }) => rules.some(isAlert)).length);
    expect(refused[0]?.text).toContain('data source \\"prometheus\\" not found');
  });
});

async function sendAll(url: string, calls: readonly ProviderCall[]) {
  const answers: { readonly path: string; readonly status: number; readonly text: string }[] = [];
  // In sequence, because the folder must exist before its content.
  for (const { method, path, body } of calls) {
    const headers = { authorization: `Bearer ${GRAFANA_TOKEN}`, "content-type": "application/json" };
    const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
    answers.push({ path, status: response.status, text: await response.text() });
  }
  return answers;
}
