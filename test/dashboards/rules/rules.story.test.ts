import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { accountFamilies, unwatchedFamilies } from "../../../exporter/collectors/account-families.ts";
import { queryFamilies, usageFamiliesOf } from "../../../exporter/collectors/analytics-families.ts";
import { discoveryFamilies } from "../../../exporter/collectors/discovery-families.ts";
import {
  keyFamilies,
  layerFamilies,
  sharedLimitFamilies,
} from "../../../exporter/collectors/key-families.ts";
import { budgetFamilies } from "../../../exporter/budgets/families.ts";
import type { Family } from "../../../exporter/metrics/family.ts";
import { selfFamilies } from "../../../exporter/metrics/self-families.ts";
import { probeFamilies } from "../../../exporter/probes/families.ts";
import { forecastFamilies } from "../../../exporter/forecast/families.ts";
import { renderRuleFile, ruleGroups } from "../../../dashboards/rules/file.ts";
import { createRules } from "../../../dashboards/rules/index.ts";
import type { RuleOptions } from "../../../dashboards/rules/settings.ts";
import { thresholds } from "../../../dashboards/thresholds.ts";
import { checkRules } from "../../support/promtool.ts";
import { describeWithTools } from "../../support/tools.ts";
import { namesIn, secondsOf } from "./promql-text.ts";

const groups = createRules();
const rules = groups.flatMap((group) => group.rules);
const families = new Map<string, Pick<Family, "labels" | "type">>(
  [
    keyFamilies,
    budgetFamilies,
    selfFamilies,
    queryFamilies,
    usageFamiliesOf.day,
    accountFamilies,
    discoveryFamilies,
    unwatchedFamilies,
    probeFamilies,
    forecastFamilies,
    layerFamilies,
    sharedLimitFamilies,
  ]
    .flatMap((of): readonly Family[] => Object.values(of))
    .map((family) => [family.name, family]),
);
// Of Prometheus itself.
for (const [name, type] of [
  ["prometheus_rule_group_last_duration_seconds", "gauge"],
  ["prometheus_rule_group_interval_seconds", "gauge"],
  ["prometheus_rule_group_iterations_missed_total", "counter"],
] as const)
  families.set(name, { labels: ["rule_group"], type });
const RETENTION_SECONDS = 15 * 86_400;

describe("rule groups", () => {
  test.each(groups)("$name has a valid size, name and interval", ({ name, rules: own, interval }) => {
    expect(own.length).toBeLessThanOrEqual(20);
    expect(name).toMatch(/^aigateway-[a-z-]{1,30}$/);
    expect(secondsOf(interval)).toBeGreaterThanOrEqual(60);
    expect(secondsOf(interval)).toBeLessThanOrEqual(3600);
  });

  test("are at most 45 (merge or remove one before you add one) in a file of at most 50 kB, and nothing is recorded", () => {
    expect(rules.length).toBeLessThanOrEqual(45);
    expect(renderRuleFile(groups).length).toBeLessThanOrEqual(50_000);
  });

  test("have unique names", () => {
    const names = rules.map(({ alert }) => alert);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe.each(rules)("$alert", (rule) => {
  const names = namesIn(rule.expr);

  test("uses only existing metrics and labels", () => {
    expect(names.selectors.filter(({ name }) => labelsOf(name) === undefined)).toEqual([]);
    const strange = names.selectors.filter(({ name, labels }) => !labels.every((label) => has(name, label)));
    expect(strange).toEqual([]);
    const grouping = names.grouping.filter((label) => !names.selectors.some(({ name }) => has(name, label)));
    expect(grouping).toEqual([]);
  });

  test("uses ranges that contain two scrapes and fit the retention", () => {
    const seconds = names.durations.map(secondsOf);
    expect(seconds.filter((range) => !(range >= 120 && range <= RETENTION_SECONDS))).toEqual([]);
  });

  test("is at most five lines", () => {
    expect(rule.expr.split("\n").length).toBeLessThanOrEqual(5);
  });

  test("folds and joins by gateway", () => {
    const folds = [...rule.expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].map(([, labels = ""]) =>
      labels.split(", "),
    );
    expect(folds.filter((labels) => labels.includes("job") && !labels.includes("gateway"))).toEqual([]);
  });

  test("uses rates for counters and only for counters", () => {
    const rated = [...rule.expr.matchAll(/\b(?:rate|increase|irate)\((\w+)/g)].map(([, name = ""]) => name);
    const counters = names.selectors.filter(({ name }) => families.get(name)?.type === "counter");
    expect(new Set(rated)).toEqual(new Set(counters.map(({ name }) => name)));
  });
});

describe("thresholds", () => {
  const sources = sourcesIn("rules");
  const all = [...sources, ...sourcesIn("panels")];

  test.each(Object.keys(thresholds))("%s is used", (name) => {
    expect(all.join("\n")).toContain(`thresholds.${name}`);
  });

  test("are not repeated as numbers: comparisons use only 0, 1 and 2", () => {
    const numbers = sources.flatMap((source) => [...source.matchAll(/ [<>]=? (?:\$\{)?(\d[\d_.]*)/g)]);
    expect(new Set(numbers.map(([, number]) => number))).toEqual(new Set(["0", "1", "2"]));
  });
});

describe("rules for other schedules and clocks", () => {
  test("have longer windows for probes that run more rarely", () => {
    const text = renderRuleFile(createRules({ probeIntervalSeconds: 4 * 3600 }));
    expect(text).toContain("changes(aigateway_probe_last_run_timestamp_seconds[16h])");
  });

  test("have all durations multiplied by the scale", () => {
    const scaled = durationsOf({ scale: 1 / 600 });
    const wrong = durationsOf({}).filter(
      (seconds, index) => Math.abs((scaled[index] ?? 0) - seconds / 600) > 0.001,
    );
    expect(wrong).toEqual([]);
  });
});

test("rules.json has the same groups as rules.yaml", () => {
  expect(parse(renderRuleFile(groups))).toEqual({ groups: ruleGroups(groups) });
});

describeWithTools(["promtool3"], "promtool check rules", ({ promtool3 }) => {
  const short = createRules({ scale: 1 / 600, now: "(time() * 600)" });

  test("passes", async () => {
    const results = [
      await checkRules(promtool3, renderRuleFile(groups)),
      await checkRules(promtool3, renderRuleFile(short)),
    ];
    expect(results).toMatchObject([{ ok: true }, { ok: true }]);
    expect(results[0]?.output).toContain(`${rules.length} rules found`);
  });
});

function labelsOf(name: string): readonly string[] | undefined {
  if (name === "up") return [];
  if (name === "ALERTS") return ["alertname", "alertstate"];
  return families.get(name)?.labels;
}

function has(name: string, label: string): boolean {
  return [...(labelsOf(name) ?? []), "job", "gateway", "instance"].includes(label);
}

function durationsOf(options: RuleOptions): readonly number[] {
  return createRules(options).flatMap((group) => [
    secondsOf(group.interval),
    ...group.rules.flatMap((rule) => [
      ...namesIn(rule.expr).durations.map(secondsOf),
      secondsOf(rule.for ?? "0s"),
      secondsOf(rule.keep_firing_for ?? "0s"),
    ]),
  ]);
}

function sourcesIn(room: string): readonly string[] {
  const directory = new URL(`../../../dashboards/${room}/`, import.meta.url);
  return readdirSync(directory).map((name) => readFileSync(new URL(name, directory), "utf8"));
}
