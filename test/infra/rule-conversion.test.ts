import { describe, expect, test } from "vitest";
import { createRules } from "../../dashboards/rules/index.ts";
import type { RuleGroup } from "../../dashboards/rules/rule.ts";
import { convertRules } from "../../infra/grafana/rule-conversion.ts";

const OPTIONS = { name: "aigateway-exporter", datasourceUid: "prom" };

const GROUP: RuleGroup = {
  name: "keys",
  comment: "",
  interval: "2m",
  rules: [
    {
      alert: "KeyLow",
      expr: "left < 1",
      for: "10m",
      keep_firing_for: "1h",
      labels: { severity: "warning" },
      fires: "",
      annotations: {
        summary: "Low.",
        description:
          "{{ if gt $value 0.0 }}{{ $value | humanize }} left of {{ $labels.key }}{{ end }}; not $values or $valued",
        runbook_url: "https://runbooks.example#keylow",
        dashboard_url: "https://grafana.example/d/keys",
      },
    },
  ],
};

describe("convertRules", () => {
  test("converts an alert to a query, a test for a result, and a threshold", () => {
    const [group] = convertRules([GROUP], OPTIONS);
    expect(group).toMatchObject({ name: "keys", intervalSeconds: 120 });
    const [rule, ...others] = group?.rules ?? [];
    expect(others).toEqual([]);
    expect(rule?.datas.map(({ datasourceUid, refId }) => [refId, datasourceUid])).toEqual([
      ["query", "prom"],
      ["prometheus_math", "__expr__"],
      ["threshold", "__expr__"],
    ]);
    expect(rule?.datas.map(({ model }): unknown => JSON.parse(model))).toEqual([
      {
        refId: "query",
        datasource: { type: "prometheus", uid: "prom" },
        expr: "left < 1",
        instant: true,
        range: false,
      },
      {
        refId: "prometheus_math",
        datasource: { type: "__expr__", uid: "__expr__" },
        type: "math",
        expression: "is_number($query) || is_nan($query) || is_inf($query)",
      },
      {
        refId: "threshold",
        datasource: { type: "__expr__", uid: "__expr__" },
        type: "threshold",
        expression: "prometheus_math",
        conditions: [{ evaluator: { params: [0], type: "gt" } }],
      },
    ]);
    expect(rule).toMatchObject({
      name: "KeyLow",
      condition: "threshold",
      for: "10m",
      keepFiringFor: "1h",
      noDataState: "OK",
      execErrState: "Error",
      missingSeriesEvalsToResolve: 31,
      labels: { severity: "warning" },
    });
  });

  test("replaces $value, which is a string in Grafana, with the query's number", () => {
    expect(convertRules([GROUP], OPTIONS)[0]?.rules[0]?.annotations?.["description"]).toBe(
      "{{ if gt $values.query.Value 0.0 }}{{ $values.query.Value | humanize }} left of {{ $labels.key }}{{ end }}; not $values or $valued",
    );
  });

  test.each(["5s", "15s", "1h1s", "soon"])(
    "refuses the interval %s, which Grafana would refuse",
    (interval) => {
      expect(() => convertRules([{ ...GROUP, interval }], OPTIONS)).toThrow(
        `Cannot convert the rule group "keys": its interval must be a multiple of 10s, not "${interval}"`,
      );
    },
  );

  test("gives each rule a unique uid that does not depend on its position", () => {
    const uids = convertRules(createRules(), OPTIONS).flatMap(({ rules }) => rules.map(({ uid }) => uid));
    expect(new Set(uids).size).toBe(uids.length);
    const reversed = { ...GROUP, rules: GROUP.rules.toReversed() };
    expect(convertRules([reversed], OPTIONS)[0]?.rules[0]?.uid).toBe(
      convertRules([GROUP], OPTIONS)[0]?.rules[0]?.uid,
    );
    const other = convertRules([GROUP], { ...OPTIONS, name: "staging" });
    expect(other[0]?.rules[0]?.uid).not.toBe(convertRules([GROUP], OPTIONS)[0]?.rules[0]?.uid);
  });

  test("converts all our alerts", () => {
    const alerts = createRules().flatMap(({ rules }) => rules.map(({ alert }) => alert));
    const converted = convertRules(createRules(), OPTIONS).flatMap(({ rules }) =>
      rules.map(({ name }) => name),
    );
    expect(converted).toEqual(alerts);
    expect(converted.length).toBeGreaterThan(10);
  });
});
