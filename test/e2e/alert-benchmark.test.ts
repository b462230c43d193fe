import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { BARS, meets } from "../../bench/alerts/bars.ts";
import { anomalyRules, judgedRules } from "../../bench/alerts/judged-rules.ts";
import { figuresOf, readAnomalies, readReport, type Report } from "../../bench/alerts/report.ts";
import { simulateFleet } from "../../bench/alerts/simulator.ts";
import { describeWithTools } from "../support/tools.ts";

/** Two keys of each class in which one of the rules decides, for four days. The whole fleets take hours. */
const FLEET = {
  kind: "keys",
  keys: 54,
  days: 4,
  seed: 8,
  classes: "^(diurnal-exhausts|bursty-.*|runaway-daily|env-restarts|env-frozen|tiny-limit)$",
} as const;

/** Two keys whose gateway does not answer for hours. It stops once after a warning, before the key runs out. */
const UNHEARD = { ...FLEET, seed: 88, classes: "^env-frozen$" };

/** A key-month is a lot for this fleet: one false alert is 54 per 100 key-months. */
const CLOSER: Readonly<Record<string, number>> = {
  "warned >= 1 h ahead, %": 100,
  "critical >= 15 min ahead, %": 100,
  "false critical / 100 key-months": 0,
  "false warning / 100 key-months": 108,
};
const bars = BARS.map((bar) => ({ ...bar, value: CLOSER[bar.row] ?? bar.value }));

describeWithTools(["alertsim"], "the short form of the alert benchmark", ({ alertsim }) => {
  const folder = mkdtempSync(join(tmpdir(), "alert-benchmark-"));
  const ours = join(folder, "rules.yaml");
  let report: Report;

  beforeAll(async () => {
    writeFileSync(ours, judgedRules());
    report = readReport(await simulateFleet(alertsim, { ...FLEET, rules: { ours } }));
  }, 600_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  // The figures are reproducible, so another number means another fleet.
  test("has eleven exhaustions that can be foreseen", () => {
    expect(figuresOf(report, "foreseeable exhaustions", "ours")).toEqual([11]);
  });

  test.each(bars)("$title: $bound $value", (bar) => {
    const [figure = NaN] = figuresOf(report, bar.row, "ours");
    expect(meets(bar, figure), `${bar.title}: ${figure}`).toBe(true);
  });

  test("a gateway that does not answer ends no warning", { timeout: 600_000 }, async () => {
    const unheard = readReport(await simulateFleet(alertsim, { ...UNHEARD, rules: { ours } }));
    expect(figuresOf(unheard, "foreseeable exhaustions", "ours")).toEqual([4]);
    expect(figuresOf(unheard, "foreseeable, never announced", "ours")).toEqual([0]);
  });

  test("most anomalies of spend fire an alert, and few alerts are false", { timeout: 600_000 }, async () => {
    const file = join(folder, "anomalies.yaml");
    writeFileSync(file, anomalyRules());
    const fleet = { rules: { ours: file }, keys: 35, days: 7, seed: 205, kind: "anomalies" } as const;
    const [figures] = readAnomalies(await simulateFleet(alertsim, fleet));
    expect(Number(figures?.["found %"])).toBeGreaterThanOrEqual(60);
    expect(Number(figures?.["false"])).toBeLessThanOrEqual(50);
  });
});
