import { describe, expect, test } from "vitest";
import { createRules } from "../../dashboards/rules/index.ts";
import { DASHBOARD, runMocked } from "./mocked-program.ts";
import type { Changes } from "./program-settings.ts";

const TOKEN = "glsa_test";
const GRAFANA: Changes = {
  kubernetes: false,
  grafana: true,
  grafanaUrl: "https://grafana.example",
  grafanaAuth: TOKEN,
};

describe("the Grafana part", () => {
  test("is a folder, dashboards and rule groups with fixed uids", async () => {
    const resources = await runMocked(GRAFANA);
    const alerting = createRules();
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
      auth: { secret: TOKEN },
    });
    const others = resources.filter(({ type }) => type !== "pulumi:providers:grafana");
    expect(JSON.stringify(others)).not.toContain(TOKEN);
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
});
