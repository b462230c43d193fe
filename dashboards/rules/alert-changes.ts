import { z } from "zod";
import type { AlertRule, RuleGroup } from "./rule.ts";

const texts = z.record(z.string().regex(/^[a-zA-Z_]\w*$/), z.string());

const oneChange = z.strictObject({
  enabled: z.boolean().optional(),
  severity: z.enum(["critical", "warning", "info"]).optional(),
  for: z
    .string()
    .regex(/^(?:\d{1,5}[dhms])+$/, "must be a duration such as 10m")
    .optional(),
  labels: texts.optional(),
  annotations: texts.optional(),
});

const changes = z.record(z.string(), oneChange);

/** What the user changes of alerts, by their names. Labels and annotations are added. */
export type AlertChanges = z.output<typeof changes>;

/** Reads changes of some of the alerts, and lists every problem. */
export function readAlertChanges(
  written: unknown,
  groups: readonly RuleGroup[],
): { readonly changes: AlertChanges; readonly problems: readonly string[] } {
  const names = new Set(groups.flatMap(({ rules }) => rules.map(({ alert }) => alert)));
  const parsed = changes.safeParse(written);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `alerts.${path.join(".")}: ${message}`);
    return { changes: {}, problems };
  }
  const unknown = Object.keys(parsed.data).filter((name) => !names.has(name));
  return { changes: parsed.data, problems: unknown.map((name) => `alerts.${name}: there is no such alert`) };
}

/** The rules with the changes. */
export function changeAlerts(groups: readonly RuleGroup[], changed: AlertChanges): readonly RuleGroup[] {
  return groups
    .map((group) => ({
      ...group,
      rules: group.rules.flatMap((rule) => changedAlert(rule, changed[rule.alert])),
    }))
    .filter(({ rules }) => rules.length > 0);
}

function changedAlert(
  rule: AlertRule,
  { enabled = true, ...change }: AlertChanges[string] = {},
): readonly AlertRule[] {
  if (!enabled) return [];
  const { severity = rule.labels.severity, labels, annotations } = change;
  return [
    {
      ...rule,
      ...(change.for !== undefined && { for: change.for }),
      labels: { ...rule.labels, ...labels, severity },
      annotations: { ...rule.annotations, ...annotations },
    },
  ];
}
