import { describe, expect, test } from "vitest";
import { scheduleWarnings } from "../../../exporter/cli/schedule-warnings.ts";
import { createCron } from "../../../exporter/time/cron.ts";
import { loadText } from "../config/simulated-files.ts";

async function warnings(keys: string, probe = "0 * * * *"): Promise<readonly string[]> {
  const text = `
gateway: {base_url: "https://gateway.example/api/v1"}
keys: [{name: ears, api_key_file: /k}]
probe_spend: {max_cost_per_day: 1, max_cost_per_probe: 0.1}
probes: [{name: a, key: ears, model: acme/ear, schedule: "${probe}"}]
schedule: {keys: "${keys}"}
`;
  const loaded = await loadText(text, { files: { "/k": "sk-one" } });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return scheduleWarnings(loaded.config);
}

const WHY =
  "runs only on days that match both its day of month and its day of week; most crons run on days that match either";

describe("scheduleWarnings()", () => {
  test.each([
    "0 0 13 * 5",
    "30 0 0 13 * 5",
    "0 0 1-15 * mon",
    "0 0 */2 * 1-5",
    "0 0 L * 1",
    "0 0 1 * 1#1",
    "0 0 13 6 FRI",
    // Both fields are named, so most crons run on the days of either: every day.
    "0 0 1-31 * 5",
    "0 0 13 * 0-6",
    "0 0 0 13 * 1-7",
  ])("warns of %s", async (expression) => {
    expect(await warnings(expression)).toEqual([`schedule.keys: "${expression}" ${WHY}`]);
  });

  test.each([
    "* * * * *",
    "0 0 13 * *",
    "0 0 * * 5",
    "0 0 1-31 * 0-6",
    "0 0 */1 * 5",
    "0 0 13 * */1",
    "0 0 ? * 5",
    "60s",
  ])("does not warn of %s", async (expression) => {
    expect(await warnings(expression)).toEqual([]);
  });

  test("names the probe", async () => {
    expect(await warnings("60s", "0 0 13 * 5")).toEqual([`schedule of probe "a": "0 0 13 * 5" ${WHY}`]);
  });

  test("the text is true: Friday the 13th, and no other Friday or 13th", () => {
    const next = createCron("0 0 13 * 5").nextRun(Date.parse("2026-11-14T00:00:00Z"));
    expect(new Date(next).toISOString()).toBe("2027-08-13T00:00:00.000Z");
  });
});
