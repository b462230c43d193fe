import { describe, expect, test } from "vitest";
import { createRules } from "../../../dashboards/rules/index.ts";
import { isAlert } from "../../../dashboards/rules/rule.ts";
import { convertRules, GRAFANA_TIMING, withoutStaleness } from "../../../infra/grafana/rule-conversion.ts";
import { describeWithTools } from "../../support/tools.ts";
import { fleetStories } from "./cases/index.ts";
import { dailyStories } from "./day-stories.ts";
import { type Story, testStories } from "./story.ts";

const OPTIONS = { name: "test", datasourceUid: "prometheus", recordingDatasourceUid: "prometheus" };
const groups = createRules(GRAFANA_TIMING);

describe("rules in Grafana's form", () => {
  const rules = groups.flatMap((group) => group.rules);
  const queries = convertRules(groups, OPTIONS).flatMap((group) =>
    group.rules.map(({ datas }) => datas[0]?.model),
  );

  test("query these expressions, and none that only Prometheus can answer", () => {
    const bounded = withoutStaleness(groups).flatMap((group) => group.rules);
    expect(queries.map((model = "{}"): unknown => JSON.parse(model))).toMatchObject(
      bounded.map(({ expr }) => ({ expr })),
    );
    const names = rules.flatMap((rule) => ("record" in rule ? [rule.record] : []));
    const unbounded = bounded.flatMap(({ expr }) =>
      names.filter((name) => new RegExp(`${name}(?![\\w:]|(?:\\{[^}]*\\})?\\[)`).test(expr)),
    );
    expect(unbounded).toEqual([]);
    const quoted = bounded.flatMap(({ expr }) => [...expr.matchAll(/"[^"]*"/g)].map(([text]) => text));
    expect(quoted.filter((text) => text.includes("last_over_time("))).toEqual([]);
    expect(rules.filter(({ expr }) => /\bALERTS/.test(expr))).toEqual([]);
  });

  test("resolve an alert as late as Prometheus does", () => {
    const late = rules.filter(isAlert).filter(({ keep_firing_for: kept }) => kept === "15m");
    expect(late.length).toBeGreaterThan(0);
    const names = late.map(({ alert }) => alert);
    const converted = convertRules(groups, OPTIONS).flatMap((group) => group.rules);
    const found = converted.filter(({ name }) => names.includes(name));
    expect(found.map((rule) => rule.missingSeriesEvalsToResolve)).toEqual(late.map(() => 16));
    expect(converted.find(({ name }) => name === "AIGatewayKeyExhausted")?.missingSeriesEvalsToResolve).toBe(
      1,
    );
  });
});

/** Each process twice. */
function replicated({ title, series, ...rest }: Story): Story {
  const second = series.map((one) => ({
    ...one,
    series: one.series.replace(/instance="(?=[^"])/, 'instance="second-'),
  }));
  return { ...rest, title: `${title}, with two replicas`, series: [...series, ...second] };
}

// Range selectors ignore staleness markers, so promtool finds recorded series as long as Grafana's queries do.
describeWithTools(["promtool3"], "alerts on keys over days, in Grafana's form", ({ promtool3 }) =>
  testStories(promtool3, dailyStories, 1, withoutStaleness(groups)),
);

// The alerts of one process of each shard are tested in the form of Prometheus.
describeWithTools(["promtool3"], "alerts of shards and replicas, in Grafana's form", ({ promtool3 }) =>
  testStories(promtool3, fleetStories.map(replicated), 1, withoutStaleness(groups)),
);
