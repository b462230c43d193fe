import { beforeEach, describe, expect, test } from "vitest";
import { createPlaces, type Places } from "../../../exporter/schedule/places.ts";
import { createManualClock, type ManualClock } from "../../support/clock.ts";

let clock: ManualClock;
let places: Places;
let called: string[];
let room: number;

beforeEach(() => {
  clock = createManualClock();
  room = Infinity;
  places = createPlaces(clock, () => called.length < room);
  called = [];
});

function take(ms: number, id: string): void {
  places.take(ms, id, () => called.push(`${id} at ${clock.monotonic()}`));
}

describe("createPlaces", () => {
  test("calls each back in its time, in whatever order they were taken", async () => {
    take(300, "c");
    take(100, "a");
    take(200, "b");
    take(100, "a2");
    await clock.advance(250);
    expect(called).toEqual(["a at 100", "a2 at 100", "b at 200"]);
    await clock.advance(50);
    expect(called.at(-1)).toBe("c at 300");
  });

  test("keeps one timer, however many places there are", () => {
    for (let index = 0; index < 100; index++) take(1000 + index, `key ${index}`);
    expect(clock.pending()).toHaveLength(1);
  });

  test("calls all that are late when time has leapt", async () => {
    take(100, "a");
    take(200, "b");
    take(90_000, "c");
    await clock.jump(clock.now() + 60_000);
    expect(called).toEqual(["a at 60000", "b at 60000"]);
    expect(clock.pending()).toHaveLength(1);
  });

  test("calls back as many as there is room for, and the others when there is, each once and in order", async () => {
    room = 1;
    for (const [index, id] of ["a", "b", "c"].entries()) take(100 * (index + 1), id);
    take(400, "b");
    await clock.advance(500);
    expect(called).toEqual(["a at 100"]);
    room = 2;
    places.serve();
    expect(called.slice(1)).toEqual(["b at 500"]);
    take(100, "a");
    await clock.advance(100);
    room = Infinity;
    places.serve();
    expect(called.slice(2)).toEqual(["c at 600", "a at 600"]);
    expect(clock.pending()).toEqual([]);
  });

  test("calls nobody back whose overdue place was given up", async () => {
    room = 0;
    for (const id of ["a", "b", "c"]) take(100, id);
    await clock.advance(100);
    places.leave((id) => id === "a" || id === "c");
    take(100, "c");
    await clock.advance(100);
    room = Infinity;
    places.serve();
    expect(called).toEqual(["b at 200", "c at 200"]);
  });

  test("forgoes what is overdue, and not what is to come", async () => {
    room = 0;
    for (const id of ["a", "b"]) take(100, id);
    take(300, "a");
    await clock.advance(100);
    places.forgo("a");
    room = Infinity;
    places.serve();
    expect(called).toEqual(["b at 100"]);
    await clock.advance(200);
    expect(called.slice(1)).toEqual(["a at 300"]);
  });

  test("lets a place be taken from within another", async () => {
    places.take(100, "a", () => take(50, "b"));
    await clock.advance(150);
    expect(called).toEqual(["b at 150"]);
  });

  test("calls nobody back whose place was given up, and the others still", async () => {
    take(100, "a");
    take(200, "b");
    take(300, "c");
    places.leave((id) => id !== "b");
    await clock.advance(1000);
    expect(called).toEqual(["b at 200"]);
  });

  test("leaves no timer behind when all places are given up", () => {
    take(100, "a");
    places.leave(() => true);
    expect(clock.pending()).toEqual([]);
  });
});
