import { afterEach, expect, test } from "vitest";

import { targetId } from "../../exporter/readings/target-id.ts";
import { inOrder } from "../../exporter/schedule/scheduler.ts";
import type { FaultEffect } from "../gateway/faults.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { ManualClock } from "../support/clock.ts";
import { differences, seriesLike, type SeriesMap } from "../support/series.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { expectedKeySeries } from "./key-series.ts";

const START = Date.parse("2026-11-18T12:00:00Z");
const SECOND = 1000;

const KEYS = Array.from({ length: 20 }, (_, index) => `key-${index}`);

/** Polled at the start, and then half a minute after each tick: each key has its own part of the interval. */
const BAD = inOrder(KEYS.map((name) => targetId("key", name)))[10]?.replace("key/", "") ?? "";

interface Case {
  readonly fault: FaultEffect;
  readonly reason: string;
  /** Failed polls until the values are withdrawn: one after a retry-after, else two. */
  readonly failures?: number;
  readonly unauthorized?: true;
  /** A rejected request leaves no last good value. */
  readonly withdrawnAtOnce?: true;
}

const CASES: readonly (readonly [string, Case])[] = [
  ["401", { fault: { kind: "status", status: 401 }, reason: "unauthorized", unauthorized: true }],
  ["402", { fault: { kind: "status", status: 402 }, reason: "payment_required" }],
  ["403", { fault: { kind: "status", status: 403 }, reason: "forbidden" }],
  ["404", { fault: { kind: "status", status: 404 }, reason: "bad_request", withdrawnAtOnce: true }],
  ["408", { fault: { kind: "status", status: 408 }, reason: "timeout" }],
  [
    "429 for an hour",
    { fault: { kind: "status", status: 429, retryAfterSeconds: 3600 }, reason: "rate_limited", failures: 1 },
  ],
  ["500", { fault: { kind: "status", status: 500 }, reason: "upstream_error" }],
  ["503", { fault: { kind: "status", status: 503 }, reason: "upstream_error" }],
  ["an answer that never arrives", { fault: { kind: "slow", delayMs: 3_600_000 }, reason: "timeout" }],
  ["HTML", { fault: { kind: "garbage", form: "html" }, reason: "bad_response" }],
  ["half of the JSON", { fault: { kind: "garbage", form: "half_json" }, reason: "bad_response" }],
  ["an empty body", { fault: { kind: "garbage", form: "empty" }, reason: "bad_response" }],
  [
    "a field of a wrong type",
    { fault: { kind: "fields", set: { "data.usage": { amount: 5 } } }, reason: "bad_response" },
  ],
  ["a list", { fault: { kind: "body", body: "[]" }, reason: "bad_response" }],
  ["a redirect", { fault: { kind: "redirect", location: "http://127.0.0.1:9/" }, reason: "bad_response" }],
  ["a connection that is cut", { fault: { kind: "cut" }, reason: "network" }],
  ["a connection that is reset", { fault: { kind: "reset" }, reason: "network" }],
  ["a body of 2 MiB", { fault: { kind: "oversize", bytes: 2_097_152 }, reason: "bad_response" }],
];

let app: TestApp;
let gateway: Gateway;
let clock: ManualClock;

afterEach(() => app.stop());

test.each(CASES)(
  "%s for one of 20 keys affects no other key, and the key recovers",
  async (_name, wanted) => {
    await start(wanted.fault.kind === "slow");
    const before = await app.seriesWhen((series) => aboutKeys(series).size >= all().size);
    expect(differences(aboutKeys(before), all())).toEqual([]);
    const [good, bad] = [others(all()), own(all())];

    // The next polls of the key are those of 12:01:31 and 12:02:31.
    await clock.runTo(START + 70 * SECOND);
    const fault = gateway.faults.add({ ...wanted.fault, key: BAD, endpoint: "key" });
    gateway.spend({ key: BAD, model: "acme/one", micros: 1_000_000 });
    await clock.runTo(START + 100 * SECOND);
    const failed = await app.seriesWhen((series) => series.get(UP) === 0);
    const kept = afterFailure(wanted.withdrawnAtOnce ? described(bad) : bad, wanted);
    expect(differences(own(failed), kept)).toEqual([]);
    expect(failures(failed)).toEqual(new Map([[wanted.reason, 1]]));

    // Its last good answer is that of the start, so its values live until 12:03:00 or up to five seconds less, and no longer.
    await clock.runTo(START + 170 * SECOND);
    const late = await app.series();
    expect(differences(own(late), kept)).toEqual([]);
    await clock.runTo(START + 180 * SECOND);
    const withdrawn = await app.series();
    expect(differences(own(withdrawn), afterFailure(described(bad), wanted))).toEqual([]);
    expect(failures(withdrawn)).toEqual(new Map([[wanted.reason, wanted.failures ?? 2]]));
    for (const series of [failed, late, withdrawn]) expect(differences(others(series), good)).toEqual([]);

    // A retry-after of an hour rests the key for max_pause, five minutes; every other failure for an interval.
    fault.clear();
    await clock.runTo(START + 460 * SECOND);
    const recovered = await app.seriesWhen((series) => series.get(UP) === 1);
    expect(differences(aboutKeys(recovered), all())).toEqual([]);
  },
);

async function start(isSlow: boolean): Promise<void> {
  // Timeouts run in real time, so they are short only where one is wanted.
  const patience = isSlow ? { timeout: "700ms", deadline: "1200ms" } : {};
  app = await startTestApp({
    start: START,
    prepare: ({ addKey, spend }) => {
      for (const [index, name] of KEYS.entries()) {
        addKey({ name, limitMicros: 50_000_000 + index, limitReset: "monthly" });
        spend({ key: name, model: "acme/one", micros: 1_234_567 + index });
      }
    },
    content: ({ url }) => ({
      gateway: { base_url: url, requests_per_minute: 0, max_body: "1MiB", ...patience },
      schedule: { keys: "60s" },
    }),
  });
  ({ gateway, clock } = app);
}

const UP = `aigateway_key_up{key="${BAD}"}`;

function all(): SeriesMap {
  return expectedKeySeries(gateway, gateway.tokens.keys());
}

function aboutKeys(series: SeriesMap): SeriesMap {
  return seriesLike(series, /^aigateway_key_(?!last_success)/);
}

function own(series: SeriesMap): SeriesMap {
  return seriesLike(aboutKeys(series), new RegExp(`key="${BAD}"`));
}

function others(series: SeriesMap): SeriesMap {
  const ours = own(series);
  return new Map([...aboutKeys(series)].filter(([name]) => !ours.has(name)));
}

/** The series of the key that do not depend on an answer. */
function described(series: SeriesMap): SeriesMap {
  return seriesLike(series, /^aigateway_key_(info|owner_info|up|unauthorized)\{/);
}

function afterFailure(series: SeriesMap, { unauthorized }: Case): SeriesMap {
  const changed: [string, number][] = [[UP, 0]];
  if (unauthorized) changed.push([`aigateway_key_unauthorized{key="${BAD}"}`, 1]);
  return new Map([...series, ...changed]);
}

/** Failed polls of keys by reason, without reasons that never occurred. */
function failures(series: SeriesMap): ReadonlyMap<string, number> {
  const counted = [...series].flatMap(([name, value]): [string, number][] => {
    const match = /^aigateway_exporter_poll_failures_total\{collector="key",reason="(\w+)"/.exec(name);
    return match && value > 0 ? [[match[1] ?? "", value]] : [];
  });
  return new Map(counted);
}
