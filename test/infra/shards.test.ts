import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { readSettings } from "../../infra/settings.ts";
import { LEAST, LEAST_EXPORTER, settingTexts } from "./program-settings.ts";

function configOf(changes: object) {
  const texts = new Map(Object.entries(settingTexts({ ...LEAST, ...changes })));
  const { kubernetes } = readSettings((name) => texts.get(name));
  return z.looseObject({ shards: z.number().optional() }).parse(parse(kubernetes?.config.text ?? ""));
}

test("the configuration has the number of shards, which replicas do not change", () => {
  expect(configOf({ shards: 3, replicas: 2 }).shards).toBe(3);
  expect(configOf({ replicas: 2 }).shards).toBe(undefined);
});

test.each([
  [{ shards: 0 }, /shards: "0" is not an integer from 1 to 1024/],
  [{ shards: 1.5 }, /shards: "1.5" is not an integer/],
  [{ replicas: 0 }, /replicas: "0" is not an integer from 1 to 10/],
  [
    { exporter: { ...LEAST_EXPORTER, shards: 2 } },
    /exporter\.shards: is set by the setting shards; remove it/,
  ],
  [
    { shards: 3, exporter: { gateway: { ...LEAST_EXPORTER.gateway, requests_per_minute: 2 } } },
    /exporter\.gateway\.requests_per_minute: 2 cannot be divided among 3 shards/,
  ],
])("the settings %j are refused", (changes, message) => {
  expect(() => configOf(changes)).toThrow(message);
});
