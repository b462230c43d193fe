import { renderRuleFile } from "../../dashboards/rules/file.ts";
import { createRules } from "../../dashboards/rules/index.ts";

/** The rule file that the simulator judges: the alerts on remaining credits, as they are shipped. */
export function judgedRules(): string {
  return renderRuleFile(createRules().filter(({ name }) => name === "aigateway-key-credits"));
}

/** The rule file that the simulator judges on the balance of accounts. */
export function accountRules(): string {
  const judged = createRules().map((group) => ({
    ...group,
    rules: group.rules.filter(({ alert }) => alert.startsWith("AIGatewayAccountExhaust")),
  }));
  return renderRuleFile(judged.filter(({ rules }) => rules.length > 0));
}
