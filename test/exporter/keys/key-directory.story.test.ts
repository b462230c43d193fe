import { expect, test, describe } from "vitest";
import {
  createKeyDirectory,
  type KeyDirectory,
  type PlainKey,
} from "../../../exporter/keys/key-directory.ts";
import { parseKeyRows } from "../../../exporter/gateway/wire/account-keys.ts";
import { CONTRACT_DATA } from "../collectors/key-exposition.ts";
import { lowerLimit } from "../../../exporter/keys/mirrored-limit.ts";
import type { KeyLimit } from "../../../exporter/config/config.ts";
import { parseKey } from "../../../exporter/gateway/wire/key.ts";
import { seriesName } from "../../support/series.ts";
import { startTestApp } from "../../support/test-app.ts";

const NO_OWNER = { team: "", project: "", costCenter: "" };
const NO_NAMES = { taken: new Set<string>(), configured: new Map<string, readonly string[]>() };

/** Lists one key and returns the name that it gets. */
function nameIn(
  directory: KeyDirectory,
  listing: string,
  digit: string,
  plain = "search",
): string | undefined {
  return directory.named(listing, keysOf([digit.repeat(64)], plain), NO_NAMES, true)[0]?.name;
}

function keysOf(hashes: readonly string[], plain = "search"): readonly PlainKey[] {
  const data = hashes.map((hash) => ({ ...CONTRACT_DATA, hash, name: plain }));
  return parseKeyRows({ data }, "list").flatMap(({ key }) =>
    typeof key === "string" ? [] : [{ key, plain, label: plain, owner: NO_OWNER }],
  );
}

test("two keys of two workspaces have two names", () => {
  const directory = createKeyDirectory();
  directory.use("account", ["one", "two"]);
  expect([nameIn(directory, "one", "a"), nameIn(directory, "two", "b")]).toEqual([
    "search",
    "search-bbbbbbbb",
  ]);
});

test("a plain name never passes from one key to another from one listing to the next", () => {
  const directory = createKeyDirectory();
  directory.use("account", ["one"]);
  const [older, younger] = keysOf(["a", "b"].map((digit) => digit.repeat(64)));
  const named = (...keys: readonly (PlainKey | undefined)[]) =>
    directory
      .named(
        "one",
        keys.filter((key) => key !== undefined),
        NO_NAMES,
        true,
      )
      .map(({ key, name }) => [key.hash[0], name]);
  // The page with the older key was missing.
  expect(named(younger)).toEqual([["b", "search"]]);
  expect(named(older, younger)).toEqual([
    ["a", "search-aaaaaaaa"],
    ["b", "search"],
  ]);
  expect(named(older)).toEqual([["a", "search-aaaaaaaa"]]);
  expect(named(older)).toEqual([["a", "search"]]);
});

test.each<[string, string, readonly string[]]>([
  ["a workspace that a reload removed", "account", ["two"]],
  ["another account", "other", ["one", "two"]],
])("the names of %s are free again", (_, account, workspaces) => {
  const directory = createKeyDirectory();
  directory.use("account", ["one", "two"]);
  nameIn(directory, "one", "a");
  directory.use(account, workspaces);
  expect(directory.listed().has("one")).toBe(false);
  expect(nameIn(directory, "two", "b")).toBe("search");
});

test("a reload that changes nothing keeps the names", () => {
  const directory = createKeyDirectory();
  directory.use("account", ["one", "two"]);
  nameIn(directory, "one", "a");
  directory.use("account", ["two", "one"]);
  expect(nameIn(directory, "two", "b")).toBe("search-bbbbbbbb");
});

test("a key whose secret was replaced is listed under its new hash only, also by a partial list", () => {
  const directory = createKeyDirectory();
  directory.use("account", ["one"]);
  const [before, after] = ["a".repeat(64), "b".repeat(64)];
  const list = (hash: string) =>
    directory.named(
      "one",
      keysOf([hash]),
      { taken: new Set(["mine"]), configured: new Map([[hash, ["mine"]]]) },
      false,
    );
  list(before);
  list(after);
  expect([...(directory.listed().get("one") ?? [])]).toEqual([
    [after, { name: "mine", label: "search", owner: NO_OWNER, twins: [] }],
  ]);
});

/** Limit 100 a month, 74.5 left; used 1.25 today, 12.5 this week, 25.5 this month, 1025.75 in all. */
function lower(limit: KeyLimit | undefined, fields: Readonly<Record<string, unknown>> = {}) {
  const { information, source } = lowerLimit(
    parseKey({ data: { ...CONTRACT_DATA, ...fields } }, "read"),
    limit,
  );
  const { limitCredits, remainingCredits, limitReset } = information;
  return [source, limitCredits, remainingCredits, limitReset];
}

const GATEWAY = ["gateway", 100, 74.5, "monthly"];
const UNLIMITED = { limit: null, limit_remaining: null, limit_reset: null };

describe("the limit that has less left is shown", () => {
  test.each<[string, KeyLimit | undefined, Readonly<Record<string, unknown>>, readonly unknown[]]>([
    ["none is mirrored", undefined, {}, [undefined, 100, 74.5, "monthly"]],
    ["day", { credits: 50, window: "day" }, {}, ["mirrored", 50, 48.75, "daily"]],
    ["month", { credits: 50, window: "month" }, {}, ["mirrored", 50, 24.5, "monthly"]],
    ["in all, overdrawn", { credits: 1000, window: "none" }, {}, ["mirrored", 1000, -25.75, "never"]],
    ["exact", { credits: 0.3, window: "day" }, { usage_daily: 0.1 }, ["mirrored", 0.3, 0.2, "daily"]],
    ["the gateway's is lower", { credits: 500, window: "month" }, {}, GATEWAY],
    [
      "the key is unlimited",
      { credits: 500, window: "month" },
      UNLIMITED,
      ["mirrored", 500, 474.5, "monthly"],
    ],
    ["the use is unknown", { credits: 1, window: "day" }, { usage_daily: undefined }, GATEWAY],
  ])("%s", (_, limit, fields, wanted) => {
    expect(lower(limit, fields)).toEqual(wanted);
  });
});

test.each([
  ["mirrored", 50, false],
  ["gateway", 500, true],
])("BYOK counts toward the limit of the %s as it does there", (source, credits, counts) => {
  const data = { ...CONTRACT_DATA, include_byok_in_limit: true };
  const limited = lowerLimit(parseKey({ data }, "read"), { credits, window: "month" });
  expect([limited.source, limited.information.byokInLimit]).toEqual([source, counts]);
});

test("limits of the configuration are in the metrics and on the page, and come from the list while polls fail", async () => {
  const app = await startTestApp({
    analytics: true,
    prepare: (gateway) => {
      gateway.addKey({ name: "one", limitMicros: 100_000_000, limitReset: "monthly" });
      gateway.addKey({ name: "two" });
      gateway.spend({ key: "one", model: "acme/one", micros: 7_500_000 });
    },
    content: () => ({
      keys: [
        { name: "one", api_key_env: "KEY_0", limit: { credits: 10, window: "day" } },
        { name: "two", api_key_env: "KEY_1" },
      ],
      discovery: {},
    }),
  });
  const family = "aigateway_key_limit_source";
  const source = seriesName(family, { key: "one", [family]: "mirrored" });
  const figures = ["limit_credits", "limit_remaining_credits", "unlimited"].map(
    (name) => `aigateway_key_${name}{key="one"}`,
  );
  const series = await app.seriesWhen((shown) => shown.get(source) === 1);
  expect(figures.map((name) => series.get(name))).toEqual([10, 2.5, 0]);
  expect([...series.keys()].filter((name) => /^aigateway_key_limit_source.*"two"/.test(name))).toEqual([]);
  expect(await app.page()).toContain("limit of the configuration");
  app.gateway.faults.add({ kind: "status", status: 401, endpoint: "key" });
  app.gateway.spend({ key: "one", model: "acme/one", micros: 1_000_000 });
  await app.clock.advance(960_000);
  const listed = await app.seriesWhen((shown) => shown.get(figures[1] ?? "") === 1.5);
  expect(figures.map((name) => listed.get(name))).toEqual([10, 1.5, 0]);
  expect(listed.get(source)).toBe(1);
});
