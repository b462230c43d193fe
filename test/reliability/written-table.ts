import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { ROOT } from "../support/repository.ts";

const FILE = join(ROOT, "docs", "reliability.md");
const [BEGIN, END] = ["<!-- faults: begin -->\n", "\n<!-- faults: end -->"];

/** The table in the documentation, between its marks. */
export function writtenTable(): string {
  return parts().table;
}

export function writeTable(table: string): void {
  const { before, after } = parts();
  writeFileSync(FILE, `${before}${BEGIN}${table}${END}${after}`);
}

function parts(): { readonly before: string; readonly table: string; readonly after: string } {
  const text = readFileSync(FILE, "utf8");
  const [before, rest] = text.split(BEGIN);
  const [table, after] = (rest ?? "").split(END);
  if (before === undefined || table === undefined || after === undefined) {
    throw new Error(`Cannot find the table in "${FILE}": want it between "${BEGIN}" and "${END}"`);
  }
  return { before, table, after };
}
