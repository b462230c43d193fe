import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../support/repository.ts";

const FILE = join(ROOT, "docs", "reliability.md");

/** The tables of attacks in the documentation: each attack, the figures of the whole run, and the removed limits. */
export type TableName = "attacks" | "attack figures" | "removed limits";

export function documented(name: TableName): string {
  const table = marks(name).exec(readFileSync(FILE, "utf8"))?.[2];
  if (table === undefined) throw new Error(`Cannot find the table of ${name} in "${FILE}"`);
  return table;
}

export function writeDocumented(name: TableName, table: string): void {
  const text = readFileSync(FILE, "utf8");
  writeFileSync(
    FILE,
    text.replace(marks(name), (_, begin: string, _old: string, end: string) => begin + table + end),
  );
}

/** The lines of a table by their first cell, without its head. */
export function rowsOf(table: string): ReadonlyMap<string, string> {
  const lines = table.split("\n").slice(2);
  return new Map(lines.map((line) => [line.split(" | ")[0]?.replace(/^\| /, "") ?? "", line]));
}

function marks(name: TableName): RegExp {
  return new RegExp(`(<!-- ${name}: begin -->\n)([^]*)(\n<!-- ${name}: end -->)`);
}
