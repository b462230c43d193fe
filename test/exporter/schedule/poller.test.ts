import { describe, expect, test } from "vitest";
import { keyCollector } from "../../../exporter/collectors/key.ts";
import type { Target } from "../../../exporter/collectors/collector.ts";
import { type FailureReason, GatewayError } from "../../../exporter/gateway/errors.ts";
import type { Gateway } from "../../../exporter/gateway/gateway.ts";
import { gauge, type Sample, sample } from "../../../exporter/metrics/family.ts";
import { createSelfRegistry } from "../../../exporter/metrics/self-registry.ts";
import { createStore } from "../../../exporter/readings/store.ts";
import { createPace, PausedError } from "../../../exporter/schedule/pace.ts";
import { createPoller, describeTarget } from "../../../exporter/schedule/poller.ts";
import { createStatuses } from "../../../exporter/readings/statuses.ts";
import { createManualClock } from "../../support/clock.ts";
import { createRecordingLog } from "../../support/log.ts";

const value = gauge({ name: "aigateway_test_credits", help: "Test.", labels: ["key"], absent: "never" });
const up = gauge({ name: "aigateway_test_up", help: "Test.", labels: ["key"], absent: "never" });
const unauthorized = gauge({
  name: "aigateway_test_unauthorized",
  help: "Test.",
  labels: ["key"],
  absent: "never",
});

const gateway: Gateway = {
  readKey: () => Promise.reject(new Error("not asked here")),
  queryAnalytics: () => Promise.reject(new Error("not asked here")),
  close: () => Promise.resolve(),
};

type Reply = () => Promise<readonly Sample[]>;

function setUp(seriesLimit = 100) {
  const clock = createManualClock("2026-11-18T12:00:00Z");
  const store = createStore(clock, () => seriesLimit);
  const statuses = createStatuses(clock);
  const { log, lines } = createRecordingLog();
  const pace = createPace(clock, {
    perMinute: { key: 0, analytics: 0, transcription: 0 },
    intervalMs: () => 60_000,
    connections: 8,
    maxPauseMs: 300_000,
  });
  const self = createSelfRegistry(clock);
  let changes = 0;
  const poller = createPoller({
    clock,
    gateway,
    pace,
    store,
    statuses,
    self,
    log,
    onChange: () => changes++,
  });
  const target: Target = {
    id: "key/a",
    title: 'key "a"',
    minIntervalMs: 0,
    fingerprint: "",
    constants: [],
    poll: async () => ({ samples: await good(1)() }),
    describe: (state) => [
      ...sample(up, { key: "a" }, state.up === undefined ? undefined : Number(state.up)),
      ...sample(
        unauthorized,
        { key: "a" },
        state.unauthorized === undefined ? undefined : Number(state.unauthorized),
      ),
    ],
  };
  describeTarget(target, store, statuses);
  const ask = (fingerprint: string, next: Reply, doubt?: string) => {
    const answer = next;
    const asked = { ...target, fingerprint, poll: async () => ({ samples: await answer(), doubt }) };
    return poller.poll(keyCollector, asked, 180_000);
  };
  const poll = (next: Reply, doubt?: string) => ask("", next, doubt);
  const shown = () =>
    Object.fromEntries(
      store.visible("key/a").map(({ family, value: number }) => [family.name.slice(15), number]),
    );
  const counted = async () =>
    (await self.render("text"))
      .toString()
      .split("\n")
      .filter((line) => /^aigateway_exporter_(polls|poll_failures|refused).*\d$/.test(line))
      .map((line) => line.slice("aigateway_exporter_".length));
  return { clock, store, statuses, poller, ask, poll, shown, counted, lines, pace, changes: () => changes };
}

const good = (amount: number) => () => Promise.resolve(sample(value, { key: "a" }, amount));
const bad = (reason: FailureReason) => () =>
  Promise.reject(new GatewayError(reason, `Cannot read key "a": ${reason}`));

describe("poller", () => {
  test("a good answer is stored, described and counted", async () => {
    const { poll, shown, counted, changes } = setUp();
    expect(shown()).toEqual({});
    await poll(good(1));
    expect(shown()).toEqual({ up: 1, unauthorized: 0, credits: 1 });
    expect(await counted()).toEqual(['polls_total{collector="key"} 1']);
    expect(changes()).toBe(1);
  });

  test("a failure is told at once, and the last good values stay until their time to live", async () => {
    const { clock, poll, shown, counted } = setUp();
    await poll(good(1));
    await clock.advance(60_000);
    await poll(bad("network"));
    expect(shown()).toEqual({ up: 0, unauthorized: 0, credits: 1 });
    await clock.advance(120_000);
    expect(shown()).toEqual({ up: 0, unauthorized: 0 });
    expect(await counted()).toEqual([
      'polls_total{collector="key"} 2',
      'poll_failures_total{collector="key",reason="network"} 1',
    ]);
  });

  test.each<[FailureReason, number | undefined]>([
    ["unauthorized", 1],
    ["forbidden", undefined],
    ["timeout", undefined],
  ])("a first answer of %s leaves unauthorized at %s", async (reason, expected) => {
    const { poll, shown } = setUp();
    await poll(bad(reason));
    expect(shown()).toEqual({ up: 0, ...(expected !== undefined && { unauthorized: expected }) });
  });

  test("unauthorized stays through other failures until a success", async () => {
    const { poll, shown } = setUp();
    await poll(bad("unauthorized"));
    await poll(bad("network"));
    expect(shown()["unauthorized"]).toBe(1);
    await poll(good(1));
    expect(shown()["unauthorized"]).toBe(0);
  });

  test("a refused question has no last good value", async () => {
    const { poll, shown } = setUp();
    await poll(good(1));
    await poll(bad("bad_request"));
    expect(shown()).toEqual({ up: 0, unauthorized: 0 });
  });

  test("an unexpected error is that target's bad_response and no crash", async () => {
    const { poll, counted } = setUp();
    await poll(() => Promise.reject(new TypeError("a defect")));
    expect(await counted()).toContain('poll_failures_total{collector="key",reason="bad_response"} 1');
  });

  test("a failure is logged once, again when its reason changes, and its end", async () => {
    const { poll, lines } = setUp();
    for (const reason of ["network", "network", "unauthorized", "unauthorized"] as const)
      await poll(bad(reason));
    await poll(good(1));
    expect(
      lines.filter(({ level }) => level !== "debug").map(({ level, message }) => `${level}: ${message}`),
    ).toEqual([
      'warn: Cannot read key "a": network',
      'error: Cannot read key "a": unauthorized',
      'info: Polling key "a" works again',
    ]);
    expect(lines[0]?.fields).toEqual({
      collector: "key",
      target: "key/a",
      reason: "network",
      status: undefined,
    });
  });

  test("what cannot be used of a good answer is logged once, and again when it is something else", async () => {
    const { poll, lines, shown } = setUp();
    for (const doubt of [undefined, "a row is odd", "a row is odd", "two are odd", undefined, "two are odd"])
      await poll(good(1), doubt);
    expect(
      lines.filter(({ level }) => level !== "debug").map(({ level, message }) => `${level}: ${message}`),
    ).toEqual([
      'warn: Polled key "a", but a row is odd',
      'warn: Polled key "a", but two are odd',
      'warn: Polled key "a", but two are odd',
    ]);
    expect(shown()).toMatchObject({ credits: 1, up: 1 });
  });

  test("a target is not polled again while it is being polled", async () => {
    const { poll, poller, counted } = setUp();
    const answer = Promise.withResolvers<readonly Sample[]>();
    const both = [poll(() => answer.promise), poll(() => answer.promise)];
    answer.resolve(sample(value, { key: "a" }, 1));
    await Promise.all(both);
    expect(await counted()).toEqual(['polls_total{collector="key"} 1']);
    poller.stop();
  });

  test("a pause that the gateway asked for is no poll and no failure", async () => {
    const { poll, shown, counted } = setUp();
    await poll(good(1));
    await poll(() => Promise.reject(new PausedError("key/a")));
    expect(shown()).toEqual({ up: 1, unauthorized: 0, credits: 1 });
    expect(await counted()).toEqual(['polls_total{collector="key"} 1']);
  });

  test("an answer for a target that was removed meanwhile is dropped", async () => {
    const { poll, store, statuses, shown } = setUp();
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<readonly Sample[]>();
    const polling = poll(() => {
      asked.resolve();
      return answer.promise;
    });
    await asked.promise;
    statuses.remove("key/a");
    store.remove("key/a");
    answer.resolve(sample(value, { key: "a" }, 1));
    await polling;
    expect(shown()).toEqual({});
    expect(statuses.get("key/a")).toBeUndefined();
  });

  test("an answer beyond the series limit is refused, counted and logged", async () => {
    const { poll, shown, counted, lines } = setUp(0);
    await poll(good(1));
    expect(shown()).toEqual({ up: 1, unauthorized: 0 });
    expect(await counted()).toContain('refused_answers_total{collector="key"} 1');
    expect(lines.at(-1)?.message).toBe('Cannot show key "a": series_limit is reached');
  });

  test("stop() ends what is under way without a failure", async () => {
    const { poll, poller, counted } = setUp();
    const polling = poll(() => new Promise((_, reject) => setImmediate(() => reject(new Error("aborted")))));
    poller.stop();
    await polling;
    await poll(good(1));
    expect(await counted()).toEqual([]);
  });

  test("a target that was changed is asked anew, and the answer to the question before is dropped", async () => {
    const { poll, ask, shown, counted } = setUp();
    const asked = Promise.withResolvers<void>();
    const late = Promise.withResolvers<readonly Sample[]>();
    const before = poll(() => {
      asked.resolve();
      return late.promise;
    });
    await asked.promise;
    const after = ask("another secret", good(2));
    late.resolve(sample(value, { key: "a" }, 1));
    await Promise.all([before, after]);
    expect(shown()).toMatchObject({ credits: 2 });
    expect(await counted()).toEqual(['polls_total{collector="key"} 1']);
  });

  test("cancel() ends the poll of a target, and a later one begins anew", async () => {
    const { poll, poller, shown } = setUp();
    const asked = Promise.withResolvers<void>();
    const late = Promise.withResolvers<readonly Sample[]>();
    const cancelled = poll(() => {
      asked.resolve();
      return late.promise;
    });
    await asked.promise;
    poller.cancel("key/a");
    poller.cancel("key/nobody");
    const again = poll(good(2));
    late.resolve(sample(value, { key: "a" }, 1));
    await Promise.all([cancelled, again]);
    expect(shown()).toMatchObject({ credits: 2 });
  });
});
