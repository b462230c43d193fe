import { dashboards } from "../dashboards/index.ts";
import { renderRuleFile, ruleGroups } from "../dashboards/rules/file.ts";
import { createRules } from "../dashboards/rules/index.ts";
import { renderConfigurationDocs } from "./configuration-docs.ts";
import { renderMetricsDocs } from "./metrics-docs.ts";
import { renderSettingsDocs } from "./settings-docs.ts";

export interface GeneratedFile {
  /** Path from the root of the repository. */
  readonly path: string;
  readonly render: () => string | Promise<string>;
}

/** Every file that `npm run generate` writes; `test/docs.test.ts` fails if one is out of date. */
export const generatedFiles: readonly GeneratedFile[] = [
  { path: "docs/configuration.md", render: renderConfigurationDocs },
  { path: "docs/metrics.md", render: renderMetricsDocs },
  { path: "docs/settings.md", render: renderSettingsDocs },
  { path: "dashboards/generated/rules.yaml", render: () => renderRuleFile(createRules()) },
  { path: "dashboards/generated/rules.json", render: () => jsonText({ groups: ruleGroups(createRules()) }) },
  ...dashboards.map(({ uid, json }) => ({ path: `dashboards/generated/${uid}.json`, render: () => json })),
];

function jsonText(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
