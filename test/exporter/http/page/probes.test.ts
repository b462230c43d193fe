import { describe, expect, test } from "vitest";
import type { ProbeRow } from "../../../../exporter/http/overview.ts";
import { NOW, pageOf, rows, textOf } from "./page-reader.ts";

function probe(name: string, more: Partial<ProbeRow> = {}): ProbeRow {
  return {
    name,
    model: "acme/ear",
    key: "ears",
    state: "up",
    failure: undefined,
    lastSuccessMs: NOW - 60_000,
    lastRunMs: NOW - 60_000,
    skip: undefined,
    wordErrorRate: 0,
    wordErrorLimit: 0.2,
    durationSeconds: 1.234,
    speedFactor: 3.32,
    cost: 0.0004,
    ...more,
  };
}

describe("probes", () => {
  test("have no section when none are configured", () => {
    expect(textOf(pageOf({}))).not.toContain("Probes");
  });

  test("are shown with what they heard, how fast, at which cost, and what is spent of the ceiling", () => {
    const failure = { reason: "wrong_text", message: 'Probe "wrong" heard <another> text' };
    const page = pageOf({
      probes: {
        rows: [
          probe("good"),
          probe("wrong", { state: "down", failure, wordErrorRate: 0.583, speedFactor: undefined }),
          probe("new", {
            state: "waiting",
            lastRunMs: undefined,
            skip: "spend_unknown",
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
        "○ Waiting waits until the spend of the day is known",
        "—",
        "—",
        "—",
        "not run yet",
      ],
    ]);
    expect(textOf(page)).toContain("0.42 of 0.50 credits are spent or set aside today, 84%.");
    expect(page).toContain("(1 failing)");
    expect(page).not.toContain("<another>");
  });

  test("say that their spend is not known yet", () => {
    const text = textOf(pageOf({ probes: { rows: [probe("a")], spentToday: undefined, ceiling: 0.5 } }));
    expect(text).toContain("is not known yet; until then none is run. The ceiling is 0.50 credits.");
  });
});
