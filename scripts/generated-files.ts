import { readFileSync } from "node:fs";
import { dashboards } from "../dashboards/index.ts";
import { renderRuleFile, ruleGroups } from "../dashboards/rules/file.ts";
import { createRules } from "../dashboards/rules/index.ts";
import { statusSchemaText } from "../exporter/status/json/schema.ts";
import { renderConfigurationDocs } from "./configuration-docs.ts";
import { CHART_LINKS, helmChart } from "./helm-chart.ts";
import { renderMetricsDocs } from "./metrics-docs.ts";
import { plainManifests } from "./plain-manifests.ts";
import { renderAlertsDocs, renderTroubleshootingDocs } from "./alerts-docs.ts";

export interface GeneratedFile {
  /** Path from the root of the repository. */
  readonly path: string;
  readonly render: () => string | Promise<string>;
}

const CHART = "charts/aigateway-exporter";
const pulumiYaml = readFileSync(new URL("../Pulumi.yaml", import.meta.url), "utf8");

/** Every file that `npm run generate` writes; `test/documentation/links.test.ts` fails if one is out of date. */
export const generatedFiles: readonly GeneratedFile[] = [
  { path: "docs/alerts.md", render: renderAlertsDocs },
  { path: "docs/configuration.md", render: renderConfigurationDocs },
  { path: "docs/metrics.md", render: renderMetricsDocs },
  { path: "docs/status-schema.json", render: statusSchemaText },
  { path: "docs/troubleshooting.md", render: renderTroubleshootingDocs },
  { path: "dashboards/generated/rules.yaml", render: () => renderRuleFile(createRules()) },
  {
    path: "dashboards/generated/prometheus/rules.json",
    render: () => jsonText({ groups: ruleGroups(createRules()) }),
  },
  ...dashboards.flatMap(({ uid, json }) => ({ path: `${CHART}/files/${uid}.json`, render: () => json })),
  { path: `${CHART}/files/rules.yaml`, render: () => renderRuleFile(createRules(CHART_LINKS)) },
  ...[...helmChart(pulumiYaml)].map(([path, text]) => ({ path: `${CHART}/${path}`, render: () => text })),
  {
    path: "examples/kubernetes/exporter.yaml",
    render: () => plainManifests(pulumiYaml, "exporter", createRules()),
  },
  {
    path: "examples/kubernetes/operator.yaml",
    render: () => plainManifests(pulumiYaml, "operator", createRules()),
  },
  ...dashboards.map(({ uid, json }) => ({ path: `dashboards/generated/${uid}.json`, render: () => json })),
];

function jsonText(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
