import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

import { createRules } from "../../../dashboards/rules/index.ts";
import { describeWithTools } from "../../support/tools.ts";

describeWithTools(["amtool"], "examples/alertmanager.yaml", ({ amtool }) => {
  const file = new URL("../../../examples/alertmanager.yaml", import.meta.url).pathname;

  test("is a valid configuration", () => {
    expect(execFileSync(amtool, ["check-config", file], { encoding: "utf8" })).toContain("SUCCESS");
  });

  test.each([
    ["payments-pager", ["team=payments", "severity=critical"]],
    ["payments-chat", ["team=payments", "severity=warning"]],
    ["payments-chat", ["team=payments", "severity=info"]],
    ["search-chat", ["team=search", "severity=info"]],
    ["platform-chat", ["severity=info"]],
    ["platform-chat", ["team=research", "severity=info"]],
    ["platform-pager", ["severity=critical"]],
    ["search-chat", ["team=search", "severity=warning"]],
    ["search-pager", ["team=search", "severity=critical"]],
    ["platform-chat", ["team=research", "severity=warning"]],
  ])("routes to %s an alert with %s", (receiver, labels) => {
    const parameters = ["config", "routes", "test", `--config.file=${file}`, ...labels];
    const answer = execFileSync(amtool, parameters, {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    expect(answer.trim()).toBe(receiver);
  });

  test("repeats no notification later than Alertmanager remembers it, which it warns of at the start", () => {
    const days = [...readFileSync(file, "utf8").matchAll(/repeat_interval: (\d+)d/g)].map(([, count]) =>
      Number(count),
    );
    expect(days.length).toBeGreaterThan(2);
    expect(Math.max(...days)).toBeLessThan(5);
  });

  test("refers only to existing alerts in its inhibit rules", () => {
    const names = createRules().flatMap(({ rules }) => rules.map(({ alert }) => alert));
    const text = readFileSync(file, "utf8");
    const patterns = [...text.matchAll(/alertname !?=~? "([^"]+)"/g)].map(([, pattern = ""]) => pattern);
    expect(patterns.length).toBeGreaterThan(10);
    const idle = patterns.filter(
      (pattern) => !names.some((name) => new RegExp(`^(?:${pattern})$`).test(name)),
    );
    expect(idle).toEqual([]);
  });
});
