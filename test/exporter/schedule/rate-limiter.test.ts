import { describe, expect, test } from "vitest";
import { createRateLimiter } from "../../../exporter/schedule/rate-limiter.ts";

function setUp(perMinute: number) {
  const clock = { time: 0, monotonic: () => clock.time };
  const limiter = createRateLimiter(clock, perMinute);
  /** Sends a request now that has been waiting since a given time. */
  const send = (wantedAt: number, now = limiter.readyAt(wantedAt)) => {
    clock.time = now;
    limiter.use(wantedAt);
    return now;
  };
  return { limiter, send };
}

describe("createRateLimiter()", () => {
  test("spaces simultaneous requests evenly", () => {
    const { send } = setUp(600);
    expect([send(0), send(0), send(0)]).toEqual([0, 100, 200]);
  });

  test("saves up no requests while idle", () => {
    const { send } = setUp(600);
    send(0);
    expect([send(10_000), send(10_000), send(10_000)]).toEqual([10_000, 10_100, 10_200]);
  });

  test("0 is unlimited", () => {
    const { send } = setUp(0);
    expect([send(5), send(5), send(5)]).toEqual([5, 5, 5]);
  });

  test("a request that is sent some milliseconds late does not delay the next one", () => {
    const { send, limiter } = setUp(600);
    send(0, 13);
    expect(limiter.readyAt(0)).toBe(100);
    send(0, 113);
    expect(limiter.readyAt(0)).toBe(200);
  });

  test("a delay of more than 100 ms is not made up for", () => {
    const { send, limiter } = setUp(600);
    send(0);
    send(0, 60_000);
    expect(limiter.readyAt(0)).toBe(60_000);
    send(0, 60_000);
    expect(limiter.readyAt(0)).toBe(60_100);
  });

  test("a new rate applies to the next request", () => {
    const { send, limiter } = setUp(1);
    send(0);
    limiter.setRate(600);
    expect(limiter.readyAt(0)).toBe(100);
    limiter.setRate(60);
    expect(limiter.readyAt(0)).toBe(1000);
  });
});
