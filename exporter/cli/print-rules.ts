import { z } from "zod";
import { parseYaml } from "../config/yaml-text.ts";
import { MOST_CONFIG_BYTES, readingFault, systemFiles } from "../secrets/files.ts";
import type { RuleOptions } from "../../dashboards/rules/settings.ts";
import type { Terminal } from "./terminal.ts";

export const RULE_FORMATS = ["prometheus", "kubernetes"] as const;
export type RuleFormat = (typeof RULE_FORMATS)[number];

/**
 * Prints the alert rules with the reader's own links and intervals, as a rule file or a
 * PrometheusRule. `file` has the reader's changes of alerts: a mapping `alerts`.
 */
export async function printRules(
  format: RuleFormat,
  options: RuleOptions,
  file: string | undefined,
  { stdout, stderr }: Pick<Terminal, "stdout" | "stderr">,
): Promise<number> {
  // Loaded on demand, because the daemon does not need these modules.
  const [{ createRules }, { renderManifest, renderRuleFile }, { readAlertChanges }] = await Promise.all([
    import("../../dashboards/rules/index.ts"),
    import("../../dashboards/rules/file.ts"),
    import("../../dashboards/rules/alert-changes.ts"),
  ]);
  const { value, problems } = file === undefined ? NO_CHANGES : await readChanges(file);
  const { changes: alerts, problems: wrong } = readAlertChanges(value, createRules(options));
  const all = [...problems, ...(problems.length > 0 ? [] : wrong)];
  for (const problem of all) stderr.write(`${file}: ${problem}\n`);
  if (all.length > 0) return 1;
  const render = format === "kubernetes" ? renderManifest : renderRuleFile;
  stdout.write(render(createRules({ ...options, alerts }), "aigateway-exporter rules"));
  return 0;
}

const NO_CHANGES = { value: {}, problems: [] };

const ONLY_ALERTS = z.strictObject({ alerts: z.unknown() });

async function readChanges(file: string): Promise<{ value: unknown; problems: readonly string[] }> {
  let text: string;
  try {
    text = await systemFiles.readFile(file, MOST_CONFIG_BYTES);
  } catch (error) {
    return { value: {}, problems: [readingFault(error)] };
  }
  const { value, findings } = parseYaml(text);
  const { data } = ONLY_ALERTS.safeParse(value);
  const problems = findings.map(({ message }) => message);
  return {
    value: data?.alerts,
    problems: data ? problems : [...problems, "must be a mapping with the field alerts"],
  };
}
