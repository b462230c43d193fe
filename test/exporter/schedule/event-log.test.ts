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

describe("createEventLog()", () => {
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
});
