import { describe, expect, test } from "vitest";
import type { Overview } from "../../../../exporter/status/overview.ts";
import { STYLE } from "../../../../exporter/status/page/style.ts";
import type { KeyRow } from "../../../../exporter/status/target-rows.ts";
import {
  ACCOUNT,
  budget,
  DAY,
  DOWN,
  forecast,
  gaps,
  key,
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
    ["nearly used up", { remaining: 0.004 }, ["100.00 of 100.00 99%", "0.00", "monthly in 9 d 10 h"]],
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
    [{ ...DOWN, lastSuccessMs: undefined }, "▲ Refused unauthorized never answered"],
    [DOWN, "▲ Refused unauthorized last answered 12 s ago"],
    [{ ...DOWN, failure: undefined }, "✕ Overdue last answered 12 s ago"],
    [{ isListed: true }, "● Listed 12 s ago"],
    [{ isListed: true, isDisabled: true, remaining: 0 }, "○ Disabled 12 s ago"],
    [{ remaining: 0 }, "▲ Used up 12 s ago"],
    [{ expiryMs: NOW + 3 * DAY }, "◆ Expires 12 s ago expires in 3 d"],
    [{ expiryMs: NOW - 3 * DAY }, "▲ Expired 12 s ago expired 3 d ago"],
  ])("describes the state %j in words", (more, text) => expect(cells(more)[1]).toBe(text));

  test("reports that no keys are configured", () =>
    expect(textOf(pageOf({ keys: [] }))).toContain("No keys are configured."));
});

describe("the summary", () => {
  const creditValue = { currency: "EUR", value: 0.5, former: [] };
  const lasts = { forecast: forecast({}) };

  test("counts the keys that are stopped, adds up their spend, and says which one is next", () => {
    const soon = { forecast: forecast({ outlook: "predicted", exhaustionMs: NOW + 7_200_000 }) };
    const keys = [key("a", lasts), key("b", { day: 0.25, remaining: 0, ...lasts }), key("c", soon)];
    expect(tiles({ keys, creditValue })).toEqual([
      ["Runs out next", "in 2 h c"],
      ["Keys stopped", "1 of 3"],
      ["Credits today", "3.25 all 3 keys 1.63 EUR"],
      ["Credits this month", "180.00 all 3 keys 90.00 EUR"],
    ]);
    const balance = {
      ...ACCOUNT.balance,
      forecast: forecast({ outlook: "imminent", exhaustionMs: NOW + 60_000 }),
    };
    expect(tiles({ keys, account: { ...ACCOUNT, balance } })[0]).toEqual([
      "Runs out next",
      "in 1 min the account",
    ]);
  });

  test("marks a partial sum, and shows none if no value is known", () => {
    const keys = [
      key("a"),
      key("new", WAITING),
      key("down", { ...DOWN, failure: { reason: "timeout", message: "" } }),
      key("c", { day: undefined, limit: "unlimited", remaining: undefined }),
    ];
    expect(tiles({ keys })).toEqual([
      ["Runs out next", "none known not known yet for 3 keys"],
      ["Keys stopped", "0 of 4 1 failing · 1 waiting · 1 unlimited · 1 unknown"],
      ["Credits today", "3.00 partial: unknown for 2 keys"],
      ["Credits this month", "180.00 partial: unknown for 1 key"],
    ]);
    expect(tiles({ keys: [key("new", WAITING)] }).slice(0, 3)).toEqual([
      ["Runs out next", "— not known yet for 1 key"],
      ["Keys stopped", "— of 1 1 waiting · 1 unknown"],
      ["Credits today", "— unknown for every key"],
    ]);
    expect(tiles({ keys: [key("a", lasts)] })[0]).toEqual([
      "Runs out next",
      "none no limit is going to run out",
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
    expect(tame).toContain(`<a class="side" href="/">Refresh</a>`);
    expect(textOf(tame)).toContain("As of 2026-11-21 13:40:39 UTC. Version 1.2.3, started 24 h ago.");
  });

  test("links every page, also without a management key, and marks the present one", () => {
    const [tabs = ""] = /<nav class="tabs"[\s\S]*?class="side"/.exec(tame) ?? [];
    const links = [...tabs.matchAll(/href="([^"]*)"( aria-current="page")?/g)];
    expect(links.map(([, path, current]) => `${path}${current ?? ""}`)).toEqual([
      '/ aria-current="page"',
      "/account",
      "/models",
      "/apps",
      "/exporter",
    ]);
  });

  test.each(["th", "table"])("makes every %s accessible to screen readers", (element) => {
    const wanted = { th: /^<th scope="(?:col|row)"/, table: /^<table[^>]*>\s*<caption/ }[element] ?? /^$/;
    const found = [...tame.matchAll(new RegExp(`<${element}[ >]`, "g"))];
    expect(found.length).toBeGreaterThan(1);
    for (const { index } of found) expect(tame.slice(index)).toMatch(wanted);
  });

  test.each(["light", "dark"])("has enough contrast in the %s scheme", (scheme) => {
    const [light = "", dark = ""] = String(STYLE).split("prefers-color-scheme: dark");
    const colour = coloursOf(scheme === "light" ? light : dark + light);
    for (const text of ["text", "soft", "up", "high", "down", "link"]) {
      for (const ground of ["ground", "card"]) {
        expect(contrast(colour(text), colour(ground)), `${text} on ${ground}`).toBeGreaterThan(4.5);
      }
    }
    for (const [text, urgency] of [
      ["#ffffff", "stopped"],
      ["#000000", "hour"],
      ["#1c2128", "day"],
      ["#1c2128", "week"],
    ] as const)
      expect(contrast(text, colour(urgency))).toBeGreaterThan(4.5);
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
