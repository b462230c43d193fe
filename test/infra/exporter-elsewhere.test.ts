import { expect, test } from "vitest";
import { dashboards } from "../../dashboards/index.ts";
import { createRules } from "../../dashboards/rules/index.ts";
import { readSettings } from "../../infra/settings.ts";
import { runMocked } from "./mocked-program.ts";
import { type Changes, LEAST_EXPORTER, settingTexts } from "./program-settings.ts";

/** The exporter runs elsewhere; its rules and dashboards go to Grafana. */
const ELSEWHERE: Changes = {
  kubernetes: false,
  grafana: true,
  grafanaUrl: "https://grafana.example",
  grafanaAuth: "token",
};

const names = Array.from({ length: 30 }, (_, index) => `key-${index}`);
const SLOW = {
  gateway: { ...LEAST_EXPORTER.gateway, requests_per_minute: 8 },
  keys: names.map((name) => ({ name, api_key_file: `/run/secrets/${name}` })),
};
const UNDIVIDED = /exporter\.gateway\.requests_per_minute: 8 cannot be divided among 9 shards/;

function rulesOf(changes: Changes) {
  const texts = settingTexts({ ...ELSEWHERE, ...changes });
  return readSettings((name) => texts[name]).rules;
}

test("rules and dashboards of a sharded exporter elsewhere are deployed to Grafana", async () => {
  const resources = await runMocked({ ...ELSEWHERE, exporter: { ...SLOW, shards: 3 } }, dashboards);
  const ofType = (end: string) => resources.filter(({ type }) => type.endsWith(end));
  const groups = createRules();
  expect(ofType(":RuleGroup")).toHaveLength(groups.length);
  expect(ofType(":Dashboard")).toHaveLength(dashboards.length);
});

test.each<[string, object, object]>([
  [
    "paths of secrets",
    { keys: [{ name: "a", api_key_file: "/a" }], analytics: { management_key_file: "/m" } },
    {},
  ],
  [
    "names of variables",
    { keys: [{ name: "a", api_key_env: "A" }], analytics: { management_key_env: "M" } },
    {},
  ],
  ["a folder of keys", { keys_dir: "/keys" }, {}],
  ["no secrets", { schedule: { keys: "10m" } }, {}],
  [
    "keys without secrets",
    {
      keys: [{ name: "a", owner: { team: "red" } }],
      budgets: [{ name: "b", limit: 1, window: "day", keys: ["a"] }],
    },
    {},
  ],
  ["a management key alone", { analytics: { management_key_file: "/m" } }, {}],
  [
    "a recording that this machine does not have",
    {
      keys: [{ name: "a", api_key_file: "/a" }],
      probes: [{ name: "p", key: "a", model: "acme/ear", audio: "/elsewhere.mp3", expected_text: "hello" }],
      probe_spend: { max_cost_per_day: 1, max_cost_per_probe: 0.1 },
    },
    { probeIntervalSeconds: 3600 },
  ],
])("the rules follow the whole configuration of an exporter elsewhere: %s", (_, exporter, expected) => {
  const rules = rulesOf({ exporter: { ...LEAST_EXPORTER, ...exporter } });
  expect(rules).toEqual({
    dashboardBaseUrl: "https://grafana.example/d",
    ...expected,
  });
});

test.each<[string, Changes, RegExp]>([
  [
    "two numbers of shards",
    { exporter: { ...SLOW, shards: 3 }, shards: 2 },
    /exporter\.shards: is 3, but the setting shards is 2; set one of them only$/m,
  ],
  ["more shards in it than requests a minute", { exporter: { ...SLOW, shards: 9 } }, UNDIVIDED],
  ["more shards than requests a minute", { exporter: SLOW, shards: 9 }, UNDIVIDED],
  [
    "a number of shards that is none",
    { exporter: { ...SLOW, shards: "three" } },
    /exporter\.shards: "three" is not /,
  ],
  ["keys that are no list", { exporter: { ...LEAST_EXPORTER, keys: 5 } }, /exporter\.keys: 5 is not a list/],
])("a configuration of an exporter elsewhere is refused with %s", (_, changes, message) => {
  expect(() => rulesOf(changes)).toThrow(message);
});
