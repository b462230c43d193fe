import type { RuleOptions } from "../../dashboards/rules/settings.ts";
import type { Terminal } from "./terminal.ts";

export const RULE_FORMATS = ["prometheus", "kubernetes"] as const;
export type RuleFormat = (typeof RULE_FORMATS)[number];

/**
 * Prints the recording and alert rules with the reader's own links and intervals, as a rule file or a
 * PrometheusRule.
 */
export async function printRules(
  format: RuleFormat,
  options: RuleOptions,
  { stdout }: Pick<Terminal, "stdout">,
): Promise<number> {
  // Loaded on demand, because the daemon does not need these modules.
  const [{ createRules }, { renderManifest, renderRuleFile }] = await Promise.all([
    import("../../dashboards/rules/index.ts"),
    import("../../dashboards/rules/file.ts"),
  ]);
  const render = format === "kubernetes" ? renderManifest : renderRuleFile;
  stdout.write(render(createRules(options), "aigateway-exporter rules"));
  return 0;
}
