import { describe, expect, test } from "vitest";
import { key, pageOf, probe, rows, textOf } from "./page-reader.ts";

describe("the table of probes", () => {
  test("is left out without probes", () => {
    expect(textOf(pageOf({}))).not.toContain("Probes");
  });

  test("shows word errors, duration and cost of the last run, and the spend of the day", () => {
    const failure = { reason: "wrong_text", message: 'Probe "wrong" heard <another> text' };
    const page = pageOf({
      probes: {
        rows: [
          probe("good"),
          probe("wrong", { state: "down", failure, wordErrorRate: 0.583, speedFactor: undefined }),
          probe("new", {
            state: "waiting",
            lastRunMs: undefined,
            skip: "paused",
            wordErrorRate: undefined,
            durationSeconds: undefined,
            cost: undefined,
          }),
        ],
        spentToday: 0.42,
        ceiling: 0.5,
      },
    });
    expect(rows(page)).toEqual([
      ["Probe", "State", "Word errors", "Duration", "Cost", "Last run"],
      ["good acme/ear, key ears", "● Up", "0% at most 20%", "1.23 s 3.3× real time", "0.0004", "1 min ago"],
      [
        "wrong acme/ear, key ears",
        '✕ Failing wrong_text Probe "wrong" heard <another> text',
        "58% at most 20%",
        "1.23 s",
        "0.0004",
        "1 min ago",
      ],
      [
        "new acme/ear, key ears",
        "○ Waiting not run: the gateway asked the exporter to wait",
        "—",
        "—",
        "—",
        "not run yet",
      ],
    ]);
    expect(textOf(page)).toContain("0.42 of 0.50 credits are spent or reserved today, 84%.");
    expect(page).toContain("(1 failing)");
    expect(page).not.toContain("<another>");
  });

  test("has its failing probes in the list of problems that need attention, before keys that are used up", () => {
    const failure = { reason: "wrong_text", message: "Heard <another> text" };
    const down = { state: "down", failure } as const;
    const page = pageOf({
      keys: [key("spent", { remaining: 0 })],
      probes: {
        rows: [
          probe("good"),
          probe("bad", down),
          probe("hopeless", { ...down, lastSuccessMs: undefined }),
          probe("new", { state: "waiting" }),
        ],
        spentToday: 0,
        ceiling: 0.5,
      },
    });
    const [, list = ""] = /aria-labelledby="attention">([\s\S]*?)<\/section>/.exec(page) ?? [];
    expect([...list.matchAll(/<li>([\s\S]*?)<\/li>/g)].map(([, item = ""]) => textOf(item))).toEqual([
      "Probe bad ✕ Failing wrong_text last succeeded 1 min ago Heard <another> text",
      "Probe hopeless ✕ Failing wrong_text never succeeded Heard <another> text",
      "spent ▲ Used up nothing is left of 100.00 credits; resets in 9 d 10 h",
    ]);
    expect(list).not.toContain("<another>");
  });
});
