import type { RecordingRule, RuleGroup } from "../../../dashboards/rules/rule.ts";

/**
 * The recording rules that are wanted, divided so that each pass depends only on earlier ones. A rule that
 * needs its own past begins without it. Rules that need the past of each other do so too. @throws Error if
 * rules depend on each other.
 */
export function rulePasses(
  groups: readonly RuleGroup[],
  isWanted: (name: string) => boolean = () => true,
): readonly (readonly RecordingRule[])[] {
  const passes: RecordingRule[][] = [];
  let rest = groups
    .flatMap(({ rules }) => rules)
    .filter((rule) => "record" in rule)
    .filter(({ record }) => isWanted(record));
  while (rest.length > 0) {
    const waiting = new Set(rest.map(({ record }) => record));
    const isReady = ({ record, expr }: RecordingRule) =>
      recordsIn(expr).every((name) => name === record || !waiting.has(name));
    const ready = [
      rest.filter(isReady),
      rest.filter(({ record, expr }) => isReady({ record, expr: withoutPast(expr) })),
    ].find((rules) => rules.length > 0);
    if (!ready) throw new Error(`Cannot order the rules ${[...waiting].join(", ")}`);
    passes.push(ready);
    rest = rest.filter((rule) => !ready.includes(rule));
  }
  return passes;
}

function recordsIn(expr: string): readonly string[] {
  return expr.match(/[a-z_]+:[\w:]+/g) ?? [];
}

/** Returns the expression without the series that it reads with `offset`. */
function withoutPast(expr: string): string {
  return expr.replaceAll(/[a-z_]+:[\w:]+(\{[^}]*\})?(\[[^\]]*\])?\s+offset\b/g, "");
}
