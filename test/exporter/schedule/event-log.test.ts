import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createEventLog, type TargetEvent } from "../../../exporter/schedule/event-log.ts";
import { createManualClock } from "../../support/clock.ts";
import { createRecordingLog, type LogLine } from "../../support/log.ts";

function setUp() {
  const clock = createManualClock();
  const { log, lines } = createRecordingLog();
  const events = createEventLog(log, clock);
  const shown = () => lines.filter(({ level }) => level !== "debug");
  const texts = () => shown().map(({ level, message }) => `${level}: ${message}`);
  return { clock, events, lines, shown, texts };
}

function failed(name: string, reason = "network", why = "the connection failed"): TargetEvent {
  const level = reason === "unauthorized" ? "error" : "warn";
  const message = `Cannot read key "${name}": ${why}`;
  const fields = { collector: "key", target: `key/${name}`, reason };
  return { level, cause: `key failed ${reason}`, title: `key "${name}"`, name, fields, message };
}

function works(name: string): TargetEvent {
  const message = `Polling key "${name}" works again`;
  return { level: "info", cause: "key works again", title: `key "${name}"`, name, fields: {}, message };
}

/** How many events the lines stand for. */
function total(lines: readonly LogLine[]): number {
  return lines.reduce((sum, { fields }) => sum + ("count" in fields ? Number(fields.count) : 1), 0);
}

/** The most lines in any minute, by their times in milliseconds. */
function mostInAMinute(times: readonly number[]): number {
  const counts = times.map((time) => times.filter((other) => other >= time && other < time + 60_000).length);
  return Math.max(0, ...counts);
}

describe("createEventLog()", () => {
  test("logs a single event at once and leaves nothing behind", async () => {
    const { clock, events, texts, shown } = setUp();
    events.report(failed("a"));
    expect(texts()).toEqual(['warn: Cannot read key "a": the connection failed']);
    expect(shown()[0]?.fields).toEqual({ collector: "key", target: "key/a", reason: "network" });
    await clock.advance(60_000);
    expect(texts()).toHaveLength(1);
    expect(clock.pending()).toEqual([]);
  });

  test("logs a second event of the same cause seconds later, as a line of its own", async () => {
    const { clock, events, texts } = setUp();
    events.report(failed("a"));
    events.report(failed("b"));
    await clock.advance(5000);
    expect(texts()).toEqual([
      'warn: Cannot read key "a": the connection failed',
      'warn: Cannot read key "b": the connection failed',
    ]);
  });

  test("summarizes an outage of 2,000 keys within a minute, and its end, in a few lines", async () => {
    const { clock, events, texts, shown } = setUp();
    for (let index = 0; index < 2000; index++) {
      events.report(failed(`k${index}`));
      await clock.advance(30);
    }
    await clock.advance(60_000);
    for (let index = 0; index < 2000; index++) events.report(works(`k${index}`));
    await clock.advance(5000);
    expect(texts()).toEqual([
      'warn: Cannot read key "k0": the connection failed',
      'warn: Cannot read key "k1": the connection failed; and 165 more: key "k2", key "k3", …',
      'warn: Cannot read key "k167": the connection failed; and 1832 more: key "k168", key "k169", …',
      'info: Polling key "k0" works again',
      'info: Polling key "k1" works again; and 1998 more: key "k2", key "k3", …',
    ]);
    expect(shown()[1]?.fields).toEqual({ collector: "key", target: "key/k1", reason: "network", count: 166 });
    expect(total(shown())).toBe(4000);
  });

  test("gives keys that differ their own lines during an outage", async () => {
    const { clock, events, texts } = setUp();
    for (let index = 0; index < 100; index++) events.report(failed(`k${index}`));
    events.report(failed("expired", "unauthorized", "gateway answered 401: Key expired"));
    events.report(failed("odd", "network", "the connection failed (EHOSTUNREACH)"));
    await clock.advance(5000);
    expect(texts().toSorted()).toEqual([
      'error: Cannot read key "expired": gateway answered 401: Key expired',
      'warn: Cannot read key "k0": the connection failed',
      'warn: Cannot read key "k1": the connection failed; and 98 more: key "k2", key "k3", …',
      'warn: Cannot read key "odd": the connection failed (EHOSTUNREACH)',
    ]);
  });

  test("limits the messages of a cause that have lines of their own", async () => {
    const { clock, events, texts, shown } = setUp();
    for (let index = 0; index < 260; index++)
      events.report(failed(`k${index}`, "network", String.fromCharCode(97 + (index % 26))));
    await clock.advance(5000);
    expect(texts()).toEqual([
      'warn: Cannot read key "k0": a',
      'warn: Cannot read key "k1": b; and 9 more: key "k27", key "k53", …',
      'warn: Cannot read key "k2": c; and 9 more: key "k28", key "k54", …',
      'warn: Cannot read key "k3": d; and 9 more: key "k29", key "k55", …',
      'warn: Cannot read key "k4": e; and 228 more with other messages: key "k5", key "k6", …',
    ]);
    expect(total(shown())).toBe(260);
  });

  test("takes messages that differ in identifiers only for the same", async () => {
    const { clock, events, texts } = setUp();
    for (let index = 0; index < 100; index++)
      events.report(
        failed(`k${index}`, "network", `request ${(index * 7919).toString(16)}a0f3, after ${index} ms`),
      );
    await clock.advance(5000);
    expect(texts()).toHaveLength(2);
  });

  test("never logs the end of an outage before its beginning", async () => {
    const { clock, events, texts } = setUp();
    for (const name of ["a", "b", "c", "d", "e"]) events.report(failed(name));
    await clock.advance(1000);
    events.report(works("b"));
    expect(texts().map((text) => text.slice(0, 25))).toEqual([
      'warn: Cannot read key "a"',
      'warn: Cannot read key "b"',
      'info: Polling key "b" wor',
    ]);
  });

  test("logs each event at level debug", () => {
    const { events, lines } = setUp();
    for (const name of ["a", "b", "c"]) events.report(failed(name));
    expect(lines.map(({ level }) => level)).toEqual(["warn", "debug", "debug"]);
    expect(lines[2]).toMatchObject({ message: failed("c").message, fields: { target: "key/c" } });
  });

  test("flush writes the rest and leaves no timer", () => {
    const { clock, events, texts } = setUp();
    for (const name of ["a", "b"]) events.report(failed(name));
    events.report(works("a"));
    events.report(works("b"));
    events.flush();
    expect(texts()).toHaveLength(4);
    expect(clock.pending()).toEqual([]);
  });

  test("stays below 100 lines a minute when twenty causes trickle with ever new messages", async () => {
    const { clock, events, shown } = setUp();
    const times: number[] = [];
    for (let index = 0; index < 3000; index++) {
      events.report(failed(`k${index}`, `reason ${index % 20}`, `because of ${"abcdefg".charAt(index % 7)}`));
      await clock.advance(index % 2 === 0 ? 50 : 250);
      while (times.length < shown().length) times.push(clock.monotonic());
    }
    events.flush();
    expect(mostInAMinute(times)).toBeLessThan(100);
    expect(total(shown())).toBe(3000);
  });

  test("stays below 100 lines a minute in any storm, and its counts add up to all events", async () => {
    const causes = [
      "network",
      "timeout",
      "unauthorized",
      "forbidden",
      "bad_response",
      "bad_request",
      "rate_limited",
    ];
    const event = fc.record({
      waitMs: fc.oneof(fc.nat(20), fc.nat(3000), fc.nat(30_000)),
      repeat: fc.oneof(fc.constant(1), fc.nat(50), fc.nat(1000)),
      reason: fc.constantFrom(...causes, "works again"),
      why: fc.oneof(fc.constant("down"), fc.lorem()),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 100 }), async (storm) => {
        const { clock, events, shown } = setUp();
        const times: number[] = [];
        let reported = 0;
        for (const { waitMs, repeat, reason, why } of storm) {
          for (let index = 0; index < repeat; index++) {
            const name = `k${reported++}`;
            events.report(
              reason === "works again" ? works(name) : failed(name, reason, `${why} ${index % 7}`),
            );
          }
          while (times.length < shown().length) times.push(clock.monotonic());
          await clock.advance(waitMs);
          while (times.length < shown().length) times.push(clock.monotonic());
        }
        expect(mostInAMinute(times)).toBeLessThan(100);
        events.flush();
        expect(total(shown())).toBe(reported);
        expect(clock.pending()).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});
