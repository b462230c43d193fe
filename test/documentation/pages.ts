import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { ROOT } from "../support/repository.ts";

/** A page of the documentation. */
export interface Page {
  /** Path from the root of the repository. */
  readonly path: string;
  readonly text: string;
}

/** Every page for users and contributors, without the decisions, which describe the time of their date. */
export const pages: readonly Page[] = [
  ...pagesIn(""),
  ...pagesIn("docs"),
  ...pagesIn("charts/aigateway-exporter"),
];

/** The decisions. */
export const decisions: readonly Page[] = pagesIn("docs/decisions");

/** The anchors of a page's headings, as GitHub and GitLab make them. */
export function anchorsOf({ text }: Page): ReadonlySet<string> {
  const seen = new Map<string, number>();
  const anchors = new Set<string>();
  for (const [, heading = ""] of withoutBlocks(text).matchAll(/^#{1,6} +(.+)$/gm)) {
    const slug = slugOf(heading);
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    anchors.add(count === 0 ? slug : `${slug}-${count}`);
  }
  return anchors;
}

/** The lines of the fenced blocks of these languages; a line that ends with a backslash is joined with the next. */
export function blockLines(text: string, ...languages: readonly string[]): readonly string[] {
  return [...text.matchAll(/^ *```(\w*)\n(.*?)^ *```$/gms)]
    .filter(([, language = ""]) => languages.includes(language))
    .flatMap(([, , block = ""]) => block.replaceAll(/\\\n\s*/g, "").split("\n"))
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
}

/** The texts in backticks outside fenced blocks. */
export function inlineCode(text: string): readonly string[] {
  return [...withoutBlocks(text).matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code);
}

/** The text without fenced blocks. */
export function withoutBlocks(text: string): string {
  return text.replaceAll(/^ *```.*?^ *```$/gms, "");
}

function slugOf(heading: string): string {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");
}

function pagesIn(folder: string): readonly Page[] {
  return readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }));
}
