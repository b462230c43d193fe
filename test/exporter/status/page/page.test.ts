import { describe, expect, test } from "vitest";
import type { Overview } from "../../../../exporter/status/overview.ts";
import { STYLE } from "../../../../exporter/status/page/style.ts";
import type { KeyRow } from "../../../../exporter/status/target-rows.ts";
import {
  budget,
  DAY,
  gaps,
  key,
  listed,
  markupFaults,
  NOW,
  pageOf,
  probe,
  query,
  rows,
  textOf,
} from "./page-reader.ts";

const OWNER = { team: "payments", project: "invoices", costCenter: "4711" };
const UNASKED = { limit: undefined, remaining: undefined, reset: undefined, nextResetMs: undefined };
const WAITING = {
  ...UNASKED,
  state: "waiting",
  lastSuccessMs: undefined,
  day: undefined,
  month: undefined,
} as const;
const DOWN = {
  state: "down",
  failure: { reason: "unauthorized", message: "Cannot read: gateway answered 401" },
} as const;

describe("the report about a failed reload", () => {
  test("says since when, and what applies", () => {
    const text = textOf(pageOf({ failedReloadMs: NOW - 120_000, keys: [key("billing")] }));
    expect(text).toContain(
      "Needs attention Configuration ✕ Not reloaded the last reload failed 2 min ago; the former configuration applies The log and the command check report the problems.",
    );
  });
});

describe("the table of keys", () => {
  test("shows state, limit and spend", () => {
    expect(rows(pageOf({ keys: [key("billing", { owner: OWNER })] }))).toEqual([
      ["Key", "State", "Limit used", "Left", "Resets", "Today", "This week", "This month", "All time"],
      [
        "billing payments · invoices · 4711",
        "● Up 12 s ago",
        "60.00 of 100.00 60%",
        "40.00",
        "monthly in 9 d 10 h",
        "1.50",
        "10.00",
        "60.00",
        "1,234.50",
      ],
    ]);
  });

  test.each<[string, Partial<KeyRow>, readonly string[]]>([
    ["unlimited", { limit: "unlimited", remaining: undefined, reset: "never" }, ["unlimited"]],
    ["unknown", UNASKED, ["—", "—", "—"]],
    ["zero", { limit: 0, remaining: 0 }, ["0.00 of 0.00 used up", "0.00", "monthly in 9 d 10 h"]],
    ["overdrawn", { remaining: -14.5 }, ["114.50 of 100.00 used up", "−14.50", "monthly in 9 d 10 h"]],
    ["nearly used up", { remaining: 0.004 }, ["100.00 of 100.00 99%", "0.004", "monthly in 9 d 10 h"]],
    ["refunded", { remaining: 120 }, ["−20.00 of 100.00 −20%", "120.00", "monthly in 9 d 10 h"]],
    ["just reset", { remaining: undefined, nextResetMs: undefined }, ["— of 100.00", "—", "monthly"]],
    ["never reset", { reset: "never", nextResetMs: undefined }, ["60.00 of 100.00 60%", "40.00", "never"]],
    [
      "reset otherwise",
      { reset: "other", nextResetMs: undefined },
      ["60.00 of 100.00 60%", "40.00", "other"],
    ],
  ])("shows a limit that is %s", (_name, more, limit) => {
    expect(cells(more).slice(2, 2 + limit.length)).toEqual(limit);
  });

  test("distinguishes no spend from unknown spend", () => {
    expect(cells({ day: 0, week: undefined }).slice(5, 7)).toEqual(["0.00", "—"]);
  });

  test.each<[Partial<KeyRow>, string]>([
    [{}, "● Up 12 s ago"],
    [WAITING, "○ Waiting not polled yet"],
    [{ ...DOWN, lastSuccessMs: undefined }, "✕ Failing unauthorized never answered"],
    [DOWN, "✕ Failing unauthorized last answered 12 s ago"],
    [{ expiryMs: NOW + 3 * DAY }, "● Up 12 s ago expires in 3 d"],
    [{ expiryMs: NOW - 3 * DAY }, "● Up 12 s ago expired 3 d ago"],
  ])("describes the state %j in words", (more, text) => expect(cells(more)[1]).toBe(text));

  test("lists failing, used up and waiting keys first, then the rest in the order of the configuration", () => {
    const page = pageOf({
      keys: [key("b"), key("waiting", WAITING), key("spent", { remaining: 0 }), key("a"), key("down", DOWN)],
    });
    expect(keyNames(page)).toEqual(["down", "spent", "waiting", "b", "a"]);
  });

  test("reports that no keys are configured", () =>
    expect(textOf(pageOf({ keys: [] }))).toContain("No keys are configured."));
});

describe("the summary", () => {
  test("counts the keys and adds up their spend", () => {
    const creditValue = { currency: "EUR", value: 0.5, former: [] };
    expect(tiles({ keys: [key("a"), key("b", { day: 0.25, remaining: 0 })], creditValue })).toEqual([
      ["Keys up", "2 of 2 none failing"],
      ["Credits today", "1.75 all 2 keys 0.88 EUR"],
      ["Credits this month", "120.00 all 2 keys 60.00 EUR"],
      ["Limits used up", "1 2 with a limit"],
    ]);
  });

  test("marks a partial sum, and shows none if no value is known", () => {
    const keys = [
      key("a"),
      key("new", WAITING),
      key("down", DOWN),
      key("c", { day: undefined, remaining: 10 }),
    ];
    expect(tiles({ keys })).toEqual([
      ["Keys up", "2 of 4 1 failing · 1 waiting"],
      ["Credits today", "3.00 partial: unknown for 2 keys"],
      ["Credits this month", "180.00 partial: unknown for 1 key"],
      ["Limits used up", "0 1 at 90% or more · 3 with a limit · 1 unknown"],
    ]);
    expect(tiles({ keys: [key("new", WAITING)] })[1]).toEqual(["Credits today", "— unknown for every key"]);
  });
});

describe("the list of problems that need attention", () => {
  test("shows failing keys and queries with reason and message, and keys that are used up", () => {
    const keys = [key("billing", { remaining: 0 }), key("search", DOWN)];
    const prepaid = key("prepaid", { remaining: -1, reset: "never", nextResetMs: undefined });
    expect(
      listed({
        keys: [...keys, prepaid],
        queries: [query("month", { ...DOWN, lastSuccessMs: NOW - 12_000 })],
      }),
    ).toEqual([
      "search ✕ Failing unauthorized last answered 12 s ago Cannot read: gateway answered 401",
      "Models and apps, this month ✕ Failing unauthorized last answered 12 s ago Cannot read: gateway answered 401",
      "billing ▲ Used up nothing is left of 100.00 credits; resets in 9 d 10 h",
      "prepaid ▲ Used up nothing is left of 100.00 credits; it never resets",
    ]);
    expect(pageOf({ keys })).toContain("<title>(1 failing) AI gateway exporter</title>");
  });

  test("includes failing queries that only budgets need, also in the title", () => {
    const budgetQueries = ["week", "since_2026-11-01"].map((name) => ({
      name,
      lastSuccessMs: undefined,
      ...DOWN,
    }));
    const page = { budgetQueries: [...budgetQueries, { ...WAITING, name: "month", failure: undefined }] };
    expect(listed(page)).toEqual([
      "Budgets, this week ✕ Failing unauthorized never answered Cannot read: gateway answered 401",
      "Budgets, since 2026-11-01 ✕ Failing unauthorized never answered Cannot read: gateway answered 401",
    ]);
    expect(pageOf(page)).toContain("<title>(2 failing) AI gateway exporter</title>");
  });

  test("begins with exceeded budgets", () => {
    const open = budget("prepaid", {
      window: "total",
      windowEndMs: undefined,
      spent: 501,
      gaps: gaps({ old: 1 }),
    });
    const budgets = [
      budget("kept"),
      budget("month", { spent: 612.3 }),
      open,
      budget("spent", { spent: 500 }),
    ];
    expect(listed({ keys: [key("search", DOWN)], budgets })).toEqual([
      "month ▲ Exceeded budget: 612.30 of 500.00 credits spent; its window ends in 9 d 10 h",
      "prepaid ▲ Exceeded budget: at least 501.00 of 500.00 credits spent; it never ends",
      "search ✕ Failing unauthorized last answered 12 s ago Cannot read: gateway answered 401",
    ]);
  });
});

describe("the whole page", () => {
  const EVIL = `"><script>alert('1')</script>\n<img src=x onerror=alert(1)>\u202E&amp;`;
  const failure = { reason: EVIL, message: EVIL.repeat(20) };
  const evil = pageOf(
    {
      gateway: EVIL,
      version: EVIL,
      creditValue: { currency: EVIL, value: 2, former: [] },
      keys: [
        key(EVIL, { owner: { team: EVIL, project: EVIL, costCenter: EVIL } }),
        key("x".repeat(500), { state: "down", failure, limit: 1e300, remaining: -1e300 }),
      ],
      queries: [
        query(EVIL, { pairs: [{ model: EVIL, app: EVIL, credits: 1e300 }], credits: 1e300 }),
        query("day", { state: "down", failure }),
      ],
      budgetQueries: [{ ...query(EVIL), state: "down", failure }],
      probes: {
        rows: [probe(EVIL, { model: EVIL, key: EVIL, skip: EVIL, state: "down", failure, cost: 1e300 })],
        spentToday: 1e300,
        ceiling: 1e-300,
      },
      budgets: [
        budget(EVIL, {
          team: EVIL,
          scope: { kind: "app", label: EVIL },
          gaps: gaps({ failing: 1 }, { reason: "timeout" }),
        }),
        budget("x".repeat(500), {
          scope: { kind: "keys", names: [EVIL, EVIL] },
          limit: 1e-300,
          spent: 1e300,
        }),
      ],
    },
    `/${EVIL}`,
  );
  const tame = pageOf({
    keys: [key("billing", { owner: OWNER, limit: "unlimited" }), key("down", DOWN)],
    queries: [query("day", { pairs: [{ model: "m", app: "a", credits: 1 }], credits: 1, truncated: true })],
    budgets: [budget("month", { team: "payments", spent: 600, gaps: gaps({ failing: 1 }) })],
  });

  test.each([
    ["tame", tame],
    ["hostile", evil],
  ])("is well-formed HTML of known elements and attributes, with %s texts", (_name, page) => {
    expect(markupFaults(page)).toEqual([]);
  });

  test("shows hostile texts as plain text", () => {
    expect(keyRows(evil)[2]?.[0]).toMatch(
      /^"><script>alert\('1'\)<\/script>⏎<img src=x onerror=alert\(1\)>�&amp;/,
    );
    expect(keyRows(evil)[1]?.[0]).toBe(`${"x".repeat(160)}…`);
  });

  test("loads nothing", () => {
    expect(tame).not.toMatch(
      /<script|<link (?!rel="icon" href="data:)|<img|src=|url\(|@import|https?:\/\/(?!gateway\.example)/,
    );
  });

  test("has a link to reload it, never reloads itself, and shows when it was rendered", () => {
    expect(tame).not.toContain("http-equiv");
    expect(tame).toContain(`<a href="/">Refresh</a>`);
    expect(textOf(tame)).toContain("As of 2026-11-21 13:40:39 UTC. Version 1.2.3, started 24 h ago.");
  });

  test.each(["th", "table"])("makes every %s accessible to screen readers", (element) => {
    const wanted = { th: /^<th scope="(?:col|row)"/, table: /^<table[^>]*>\s*<caption/ }[element] ?? /^$/;
    const found = [...tame.matchAll(new RegExp(`<${element}[ >]`, "g"))];
    expect(found.length).toBeGreaterThan(1);
    for (const { index } of found) expect(tame.slice(index)).toMatch(wanted);
  });

  test.each(["light", "dark"])("has enough contrast in the %s scheme", (scheme) => {
    const [light = "", dark = ""] = String(STYLE).split("prefers-color-scheme: dark");
    const colour = coloursOf(scheme === "light" ? light : dark);
    for (const text of ["text", "soft", "up", "high", "down", "link"]) {
      for (const ground of ["ground", "card"]) {
        expect(contrast(colour(text), colour(ground)), `${text} on ${ground}`).toBeGreaterThan(4.5);
      }
    }
  });
});

function cells(more: Partial<KeyRow>): readonly string[] {
  return rows(pageOf({ keys: [key("billing", more)] }))[1] ?? [];
}

/** The rows of the table of keys, wherever it is on the page. */
function keyRows(page: string): string[][] {
  return rows(page.slice(page.indexOf('id="keys"')));
}

function tiles(overview: Partial<Overview>): readonly (readonly string[])[] {
  const found = pageOf(overview).matchAll(/<dt>([^<]*)<\/dt>\s*<dd>([\s\S]*?)<\/dd>/g);
  return [...found].map(([, title = "", text = ""]) => [title, textOf(text)]);
}

function keyNames(page: string): string[] {
  return rows(page)
    .slice(1)
    .map(([name = ""]) => name);
}

function coloursOf(style: string): (name: string) => string {
  return (name) => new RegExp(`--${name}: (#[0-9a-f]{6})`).exec(style)?.[1] ?? "none";
}

/** WCAG 2.2, relative luminance. */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red = Number.NaN, green = Number.NaN, blue = Number.NaN] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
