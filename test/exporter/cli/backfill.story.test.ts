import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openStateFile, STATE_NAME } from "../../../exporter/backfill/state-file.ts";
import { decimalSum } from "../../../exporter/metrics/decimal-sum.ts";
import type { Gateway, GatewayOptions } from "../../gateway/gateway.ts";
import type { BackfillRequest } from "../../../exporter/backfill/plan.ts";
import { type BackfillStage, DAY, HOUR, NOON, setUp, spendSome, TODAY } from "./backfill-stage.ts";

/** Requests have real connections, and a busy machine is slow. */
const PATIENCE = { timeout: 180_000 };

/** The values of a series by time of the day, such as `06:00:00`. */
function valuesOf(text: string, series: string): Readonly<Record<string, number>> {
  const lines = text.split("\n").filter((line) => line.startsWith(`${series} `));
  return Object.fromEntries(
    lines.map((line) => {
      const [value, at] = line.slice(series.length + 1).split(" ");
      return [new Date(Number(at) * 1000).toISOString().slice(11, 19), Number(value)];
    }),
  );
}

const TARGET = 'job="aigateway-exporter",instance="exporter:9853"';
const keySeries = (name: string, key: string) => `${name}{${TARGET},key="${key}"}`;
const pairSeries = (name: string, model: string, app: string) =>
  `${name}{${TARGET},model="${escaped(model)}",app="${escaped(app)}"}`;
const escaped = (label: string) =>
  label.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');

const billingOf = (day: string, name: string) => valuesOf(day, keySeries(name, "billing"));

describe("backfill", PATIENCE, () => {
  test("writes a file for each day, with windows that grow and reset at midnight", async () => {
    const { write, text, folder } = await setUp({ prepare: spendSome });
    const { code, stderr } = await write();
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(
        /^warning: the past ends at 2026-11-18T12:00:00Z.*\nasks at least 8 questions, which takes about 1 min\n(?:asked .*\n)*(?:wrote .*\n){3}$/,
      ),
    ]);
    expect(readdirSync(folder).filter((name) => name.endsWith(".om"))).toEqual([
      "2026-11-16.om",
      "2026-11-17.om",
      "2026-11-18.om",
    ]);
    const [yesterday, today] = [text("2026-11-17"), text("2026-11-18")];
    expect(billingOf(yesterday, "aigateway_key_usage_day_credits")).toEqual({
      "06:00:00": 4,
      "12:00:00": 4,
      "18:00:00": 4,
      "23:59:59": 4,
    });
    expect(billingOf(today, "aigateway_key_usage_day_credits")).toEqual({ "06:00:00": 0, "11:59:59": 1.5 });
    expect(billingOf(today, "aigateway_key_usage_week_credits")).toEqual({ "06:00:00": 4, "11:59:59": 5.5 });
    expect(billingOf(today, "aigateway_key_usage_month_credits")).toEqual({
      "06:00:00": 14,
      "11:59:59": 15.5,
    });
    expect(billingOf(today, "aigateway_key_usage_credits")).toEqual({ "06:00:00": 14.25, "11:59:59": 15.75 });
    expect(today.endsWith("\n# EOF\n")).toBe(true);
  });

  test("spreads an hour evenly, and marks that", async () => {
    const { write, text } = await setUp({ prepare: spendSome });
    await write({ stepMs: HOUR / 4 });
    const values = valuesOf(text("2026-11-17"), keySeries("aigateway_key_usage_day_credits", "billing"));
    expect([values["05:00:00"], values["05:15:00"], values["05:30:00"], values["06:00:00"]]).toEqual([
      0, 1, 2, 4,
    ]);
    expect(text("2026-11-17")).toContain(
      '\naigateway_backfill_interpolation_seconds{job="aigateway-exporter",instance="exporter:9853"} 3600 ',
    );
  });

  test("models and apps as the exporter shows them: the rest is _other", async () => {
    const { write, text } = await setUp({
      prepare: spendSome,
      content: { analytics: { management_key_env: "MANAGEMENT_KEY", top: 1 } },
    });
    await write();
    const today = text("2026-11-18");
    const last = (name: string, model: string, app: string) =>
      valuesOf(today, pairSeries(name, model, app))["11:59:59"];
    expect(last("aigateway_usage_day_credits", "acme/one", "Web")).toBe(2);
    expect(last("aigateway_usage_day_credits", "_other", "_other")).toBe(1.5);
    expect(last("aigateway_usage_month_credits", "acme/one", "Desk")).toBe(15.5);
    expect(last("aigateway_usage_month_credits", "_other", "_other")).toBe(2);
    expect(last("aigateway_usage_last_day_credits", "acme/one", "Desk")).toBe(4);
    expect(last("aigateway_usage_last_month_credits", "acme/one", "Desk")).toBe(0.25);
    expect(last("aigateway_usage_day_tokens", "acme/one", "Web")).toBe(10);
  });

  test("every key, model and app of two months, to the cent", async () => {
    const options: GatewayOptions = {
      keys: 6,
      historyDays: 70,
      seed: 3,
      troubled: false,
      models: 5,
      apps: 4,
    };
    const { write, text, gateway } = await setUp({ options });
    expect(await write({ days: 34, stepMs: DAY })).toMatchObject({ code: 0 });
    for (const back of [1, 29, 30, 31, 33]) {
      const dayMs = TODAY - back * DAY;
      const day = text(new Date(dayMs).toISOString().slice(0, 10));
      const book = gateway.books.analytics({ start: dayMs, end: dayMs + DAY });
      for (const key of gateway.tokens.keys()) {
        const { usage } = gateway.books.key(key, dayMs + DAY - 1).credits;
        const of = (name: string) => valuesOf(day, keySeries(name, key))["23:59:59"] ?? 0;
        expect(of("aigateway_key_usage_day_credits")).toBeCloseTo(usage.day, 9);
        expect(of("aigateway_key_usage_week_credits")).toBeCloseTo(usage.week, 9);
        expect(of("aigateway_key_usage_month_credits")).toBeCloseTo(usage.month, 9);
      }
      const shown = [...day.matchAll(/^aigateway_usage_day_credits\{.*\} (\S+) \d+$/gm)].map(([, value]) =>
        Number(value),
      );
      expect(decimalSum(shown)).toBeCloseTo(book.total.numbers.credits_usage ?? 0, 9);
      for (const { model, app, numbers } of book.pairs) {
        const values = valuesOf(day, pairSeries("aigateway_usage_day_credits", model, app ?? "_none"));
        expect(values["23:59:59"] ?? 0).toBeCloseTo(numbers.credits_usage ?? 0, 9);
      }
    }
  });
});

test("VictoriaMetrics gets the same samples with times in milliseconds", PATIENCE, async () => {
  const [one, other] = [await setUp({ prepare: spendSome }), await setUp({ prepare: spendSome })];
  await one.write();
  await other.write({ format: "victoria-metrics" });
  const lines = one
    .text("2026-11-18")
    .split("\n")
    .filter((line) => !line.startsWith("#"));
  const imported = readFileSync(join(other.folder, "2026-11-18.prom"), "utf8").split("\n");
  expect(imported.length).toBeGreaterThan(50);
  expect(imported).toEqual(lines.map((line) => line.replace(/ (\d{10})$/, " $1000")));
});

test("a gateway that remembers 31 days has a past of 31 days", PATIENCE, async () => {
  const { write, text, folder } = await setUp({
    options: { switches: { reachDays: 31 } },
    prepare: (gateway) => {
      const spend = { key: "billing", model: "acme/one", app: "Desk", force: true };
      gateway.spend({ ...spend, micros: 4_000_000, at: TODAY - DAY + 5.5 * HOUR });
    },
  });
  expect(await write({ days: 31, stepMs: DAY })).toMatchObject({ code: 0 });
  expect(readdirSync(folder).filter((name) => name.endsWith(".om"))).toHaveLength(31);
  expect(billingOf(text("2026-11-17"), "aigateway_key_usage_month_credits")).toEqual({ "23:59:59": 4 });
  // Nobody knows how October began.
  expect(billingOf(text("2026-10-30"), "aigateway_key_usage_month_credits")).toEqual({});
  expect(billingOf(text("2026-10-30"), "aigateway_key_usage_day_credits")).toEqual({ "23:59:59": 0 });
});

describe("an interrupted backfill", PATIENCE, () => {
  test("continues, and writes the same bytes", async () => {
    const whole = await setUp({ prepare: spendSome });
    await whole.write();
    const { write, folder, gateway } = await setUp({ prepare: spendSome });
    // Two of the questions are answered.
    gateway.faults.add({ endpoint: "analytics", skip: 2, kind: "status", status: 500 });
    const failed = await write();
    expect(failed.code).toBe(1);
    expect(failed.stderr).toMatch(
      /^Cannot backfill: Cannot query the past of "the account": gateway answered 500.*The same command continues\n/m,
    );
    expect(readdirSync(folder)).toEqual([STATE_NAME]);
    // Progress continues with what is answered; the first question only finds out how far back the gateway remembers.
    expect((await openStateFile(folder)).answered.count()).toBe(1);
    gateway.faults.clear();
    // The process ended while it wrote a line.
    writeFileSync(join(folder, STATE_NAME), '{"subject":"pai', { flag: "a" });
    expect(await write()).toMatchObject({ code: 0 });
    for (const name of readdirSync(whole.folder).filter((each) => each !== STATE_NAME))
      expect(readFileSync(join(folder, name), "utf8")).toBe(readFileSync(join(whole.folder, name), "utf8"));
  });

  test("does not ask or write twice what it has", async () => {
    const { write, folder, gateway } = await setUp({ prepare: spendSome });
    await write();
    rmSync(join(folder, "2026-11-17.om"));
    const before = gateway.log.total;
    const { code, stderr } = await write();
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^warning: .*\nwrote 2026-11-17\.om, .*\n$/)]);
    expect(gateway.log.total).toBe(before);
    expect(await write({ days: 4 })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/use an empty folder/),
    });
  });
});

const manyApps = (gateway: Gateway) => {
  const spend = { key: "billing", model: "acme/one", micros: 1, force: true, at: TODAY - DAY + 5.5 * HOUR };
  for (let app = 0; app <= 1000; app++) gateway.spend({ ...spend, app: `App ${app}` });
};

test.each<[string, BackfillStage, Partial<BackfillRequest>, string, boolean]>([
  [
    "the future",
    {},
    { untilMs: NOON + HOUR },
    "Cannot backfill: 2026-11-18T13:00:00Z (--until) is in the future: live series cannot begin there\n",
    false,
  ],
  [
    "more days than the gateway keeps",
    { options: { switches: { reachDays: 31 } } },
    { days: 32 },
    "Cannot backfill: the gateway keeps 31 days, back to 2026-10-19T00:00:00Z, and 2026-10-18T00:00:00Z is before that: use --days=31 at most\n",
    false,
  ],
  [
    "more rows in an hour than the gateway sends",
    { prepare: manyApps, options: { switches: { keepsRowLimit: true } } },
    {},
    "Cannot backfill models and apps: the gateway does not send all rows between 2026-11-17T05:00:00.000Z and 2026-11-17T06:00:00.000Z, so sums would be wrong\n",
    true,
  ],
  [
    "metrics with a shorter reach",
    { options: { switches: { reachDays: 7 } } },
    {},
    "expected at most 7 days ago",
    true,
  ],
  ["no management key", { content: { analytics: undefined } }, {}, "needs the section analytics", false],
  [
    "an ordinary key as management key",
    { content: { analytics: { management_key_env: "KEY_0" } } },
    {},
    "gateway answered 403",
    false,
  ],
])("%s: an error, and nothing is half written", PATIENCE, async (_, stage, request, message, isBegun) => {
  const { write, folder } = await setUp(stage);
  const { code, stdout, stderr } = await write(request);
  expect([code, stdout, stderr]).toEqual([1, "", expect.stringContaining(message)]);
  expect(readdirSync(folder)).toEqual(isBegun ? [STATE_NAME] : []);
});

test("a folder with other files is refused", PATIENCE, async () => {
  const { write, folder } = await setUp();
  writeFileSync(join(folder, "notes.txt"), "mine");
  expect(await write()).toMatchObject({ code: 1, stderr: expect.stringMatching(/is not empty/) });
});

test("the import script refuses a retention that is too short, and series that exist", PATIENCE, async () => {
  const { write, folder } = await setUp();
  await write({ days: 31, stepMs: DAY });
  // Answers both questions of the script.
  const curl = `#!/bin/sh\necho "{\\"storageRetention\\":\\"$RETENTION\\",\\"result\\":[{}]}"\n`;
  writeFileSync(join(folder, "curl"), curl, { mode: 0o755 });
  const refusal = (retention: string) => {
    const env = { ...process.env, PATH: `${folder}:${process.env["PATH"]}`, RETENTION: retention };
    const script = [join(folder, "import.sh"), folder, "http://127.0.0.1:1"];
    const { status, stderr } = spawnSync("sh", script, { env, encoding: "utf8" });
    return [status, stderr.split(" ").slice(0, 3).join(" ")];
  };
  for (const retention of ["15d", "4w", "700h"])
    expect(refusal(retention)).toEqual([1, `Prometheus keeps ${retention}`]);
  for (const retention of ["32d", "5w"]) expect(refusal(retention)).toEqual([1, "Prometheus already has"]);
});

test("a dry run asks little and writes nothing", PATIENCE, async () => {
  const { write, folder, gateway } = await setUp({ prepare: spendSome });
  const { code, stdout } = await write({ days: 31 }, true);
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(
      /2 keys\.\nAsks: about \d+ requests in 1 min\.\nWrites: 31 files with about \d+ samples, [\d.]+ MB\.\n/,
    ),
  ]);
  expect(readdirSync(folder)).toEqual([]);
  expect(gateway.log.of("analytics").length).toBeLessThan(3);
});
