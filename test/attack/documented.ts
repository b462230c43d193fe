import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../support/repository.ts";

const FILE = join(ROOT, "docs", "reliability.md");
const MARKS = /(<!-- attacks: begin -->\n)([^]*)(\n<!-- attacks: end -->)/;

/** The table of attacks in the documentation. */
export function documented(): string {
  const table = MARKS.exec(readFileSync(FILE, "utf8"))?.[2];
  if (table === undefined) throw new Error(`Cannot find the table of attacks in "${FILE}"`);
  return table;
}

export function writeDocumented(table: string): void {
  const text = readFileSync(FILE, "utf8");
  writeFileSync(
    FILE,
    text.replace(MARKS, (_, begin: string, _old: string, end: string) => begin + table + end),
  );
}
