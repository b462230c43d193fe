import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const PAGE = join(import.meta.dirname, "../../docs/reliability.md");

/** Replaces a generated section of docs/reliability.md, between the comments `<!-- name: begin -->` and `<!-- name: end -->`. */
export function writeSection(name: string, text: string): void {
  const page = readFileSync(PAGE, "utf8");
  const marks = new RegExp(`(<!-- ${name}: begin -->\n)[^]*?(<!-- ${name}: end -->)`);
  if (!marks.test(page)) throw new Error(`${PAGE} has no section ${name}`);
  writeFileSync(
    PAGE,
    page.replace(marks, (_, begin: string, end: string) => `${begin}${text}\n${end}`),
  );
}
