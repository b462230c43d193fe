import { describe, expect, test } from "vitest";
import {
  createKeyDirectory,
  type KeyDirectory,
  type PlainKey,
} from "../../../exporter/collectors/key-directory.ts";
import { parseKeyRows } from "../../../exporter/gateway/wire/account-keys.ts";
import { CONTRACT_DATA } from "./key-exposition.ts";

const NO_OWNER = { team: "", project: "", costCenter: "" };
const NO_NAMES = { taken: new Set<string>(), configured: new Map<string, readonly string[]>() };

/** Lists one key and returns the name that it gets. */
function nameIn(
  directory: KeyDirectory,
  listing: string,
  digit: string,
  plain = "search",
): string | undefined {
  return directory.named(listing, keysOf([digit.repeat(64)], plain), NO_NAMES, true).keys[0]?.name;
}

function keysOf(hashes: readonly string[], plain = "search"): readonly PlainKey[] {
  const rows = hashes.map((hash) => ({ ...CONTRACT_DATA, hash, name: plain }));
  return Array.from({ length: rows.length / PAGE + 1 }, (_, page) =>
    parseKeyRows({ data: rows.slice(page * PAGE, (page + 1) * PAGE) }, "list"),
  )
    .flat()
    .flatMap(({ key }) => (typeof key === "string" ? [] : [{ key, plain, label: plain, owner: NO_OWNER }]));
}

const PAGE = 1000;

function keysFrom(first: number, count: number): readonly PlainKey[] {
  return keysOf(Array.from({ length: count }, (_, index) => (first + index).toString(16).padStart(64, "0")));
}

test("two keys of two workspaces have two names", () => {
  const directory = createKeyDirectory();
  directory.use("account", ["one", "two"]);
  expect([nameIn(directory, "one", "a"), nameIn(directory, "two", "b")]).toEqual([
    "search",
    "search-bbbbbbbb",
  ]);
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

test("a list that ends after its workspace was removed keeps no name", () => {
  const directory = createKeyDirectory();
  directory.use("account", ["two"]);
  nameIn(directory, "one", "a");
  expect([...directory.listed().keys()]).toEqual([]);
});

describe("lists that are never complete and always have other keys", () => {
  const MOST = 25_000;
  const directory = createKeyDirectory();
  directory.use("account", ["one", "two"]);
  const list = (listing: string, first: number, count: number, isComplete = false) =>
    directory.named(listing, keysFrom(first, count), NO_NAMES, isComplete);

  test("have names for a bounded number of keys, and the first ones keep theirs", () => {
    const { keys } = list("one", 0, 10);
    expect(list("one", 10, MOST).beyond).toBe(10);
    expect(list("two", 40_000, 5)).toEqual({ keys: [], beyond: 5 });
    expect(list("one", 0, 11)).toEqual({ keys: [...keys, expect.anything()], beyond: 0 });
    expect(directory.listed().get("one")?.size).toBe(MOST);
  });

  test("have names for other keys after a complete list", () => {
    expect(list("one", 50_000, 10, true).beyond).toBe(0);
    expect(list("two", 40_000, 5).keys).toHaveLength(5);
  });
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
