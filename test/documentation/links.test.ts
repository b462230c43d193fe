import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";

import { ROOT } from "../support/repository.ts";
import { anchorsOf, decisions, inlineCode, pages, type Page, withoutBlocks } from "./pages.ts";

const FOLDERS = /^(?:bench|charts|dashboards|docs|examples|exporter|infra|preview|scripts|test)\/[\w./-]+$/;

describe.each([...pages, ...decisions])("$path", (page) => {
  test("links to files and headings that exist", () => {
    const text = withoutBlocks(page.text);
    const links = [...text.matchAll(/\]\(([^)\s]+)\)|\bsrc(?:set)?="([^"]+)"/g)].map(
      ([, link = "", source = ""]) => link || source,
    );
    expect(links.filter((link) => !isExternal(link) && !leadsTo(page, link))).toEqual([]);
  });

  // The changelog names files that have moved since.
  test.skipIf(page.path === "CHANGELOG.md")("names files of the repository that exist", () => {
    const paths = inlineCode(page.text).filter((code) => FOLDERS.test(code));
    expect(paths.filter((path) => !existsSync(join(ROOT, path)) && !isPartOfExporter(path))).toEqual([]);
  });
});

test("the index leads to every page of docs/", () => {
  const index = pages.find(({ path }) => path === "docs/README.md");
  const linked = [...(index?.text ?? "").matchAll(/\]\(([\w-]+\.md)/g)].map(
    ([, name = ""]) => `docs/${name}`,
  );
  const others = pages.filter(({ path }) => path.startsWith("docs/") && path !== index?.path);
  expect(others.map(({ path }) => path).filter((path) => !linked.includes(path))).toEqual([]);
});

function isExternal(link: string): boolean {
  return /^[a-z]+:/.test(link);
}

function leadsTo(page: Page, link: string): boolean {
  const [file = "", anchor] = link.split("#");
  const path = file === "" ? page.path : relative(ROOT, join(ROOT, dirname(page.path), file));
  if (!existsSync(join(ROOT, path))) return false;
  if (anchor === undefined || !path.endsWith(".md")) return true;
  return anchorsOf({ path, text: readFileSync(join(ROOT, path), "utf8") }).has(anchor);
}

/** The architecture names files of `exporter/` without the folder's and the file type's name; another test checks these. */
function isPartOfExporter(path: string): boolean {
  return path.startsWith("exporter/") && existsSync(join(ROOT, `${path}.ts`));
}
