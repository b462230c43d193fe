import { readdirSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { createDemoGateway } from "./demo-gateway.ts";
import { demoPast } from "./demo-past.ts";
import { stageConfig } from "./history/stage-config.ts";

test("demoPast goes on without a past, and says so, where promtool is missing", async () => {
  const gateway = createDemoGateway();
  const said: string[] = [];
  const past = await demoPast({
    gateway,
    fileOf: (schedule) => stageConfig(gateway, schedule),
    prometheus: "not started",
    promtool: undefined,
    say: (text) => void said.push(text),
  });
  onTestFinished(() => past.remove());
  expect(said).toEqual(["The graphs begin empty: their past needs promtool, which is not installed"]);
  expect(readdirSync(past.directory)).toEqual([]);
  expect(gateway.clock.speed).toBe(1);
});
