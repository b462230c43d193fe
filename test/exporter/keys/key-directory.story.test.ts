import { expect, test } from "vitest";
import {
  createKeyDirectory,
  type KeyDirectory,
  type PlainKey,
} from "../../../exporter/keys/key-directory.ts";
import { parseKeyRows } from "../../../exporter/gateway/wire/account-keys.ts";
import { CONTRACT_DATA } from "../collectors/key-exposition.ts";

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
