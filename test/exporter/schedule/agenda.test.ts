import { beforeEach, describe, expect, test } from "vitest";
import { type Agenda, createAgenda } from "../../../exporter/schedule/agenda.ts";
import { createManualClock, type ManualClock } from "../../support/clock.ts";

let clock: ManualClock;
let agenda: Agenda;
let due: string[];

beforeEach(() => {
  clock = createManualClock();
  due = [];
  agenda = createAgenda(clock, (entries) =>
    due.push(...entries.map(({ id }) => `${id} ${clock.monotonic()}`)),
  );
});

describe("createAgenda()", () => {
  test("calls back with each target at its time, in whatever order the times were added", async () => {
    agenda.add([{ id: "key/c", at: 300 }]);
    agenda.add([
      { id: "key/a", at: 100 },
      { id: "key/b", at: 200 },
    ]);
    agenda.add([{ id: "key/a", at: 100 }]);
    await clock.advance(250);
    expect(due).toEqual(["key/a 100", "key/a 100", "key/b 200"]);
    await clock.advance(50);
    expect(due.slice(3)).toEqual(["key/c 300"]);
    expect(clock.pending()).toEqual([]);
  });

  test("keeps one timer, however many times are added", () => {
    for (let index = 0; index < 100; index++) agenda.add([{ id: `key/${index}`, at: 1000 - index }]);
    expect(clock.pending()).toEqual([clock.now() + 901]);
  });

  test("calls back once with all late targets after a leap of time", async () => {
    agenda.add([
      { id: "key/a", at: 100 },
      { id: "key/b", at: 200 },
      { id: "key/c", at: 90_000 },
    ]);
    await clock.jump(clock.now() + 60_000);
    expect(due).toEqual(["key/a 60000", "key/b 60000"]);
    expect(clock.pending()).toHaveLength(1);
  });

  test("accepts a new time within the callback", async () => {
    agenda = createAgenda(clock, (entries) => {
      due.push(...entries.map(({ id }) => id));
      if (due.length === 1) agenda.add([{ id: "key/b", at: 150 }]);
    });
    agenda.add([{ id: "key/a", at: 100 }]);
    await clock.advance(150);
    expect(due).toEqual(["key/a", "key/b"]);
  });

  test("forgets removed targets and no others, and leaves no timer when nothing is left", async () => {
    agenda.add([
      { id: "key/a", at: 100 },
      { id: "key/b", at: 200 },
    ]);
    agenda.remove((id) => id === "key/a");
    await clock.advance(200);
    expect(due).toEqual(["key/b 200"]);
    agenda.add([{ id: "key/c", at: 300 }]);
    agenda.remove(() => true);
    expect(clock.pending()).toEqual([]);
  });
});
