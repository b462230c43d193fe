import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "../support/repository.ts";
import { type Page, anchorsOf, decisions, inlineCode, pages, withoutBlocks } from "./pages.ts";
import { readFile } from "node:fs/promises";
import { generatedFiles } from "../../scripts/generated-files.ts";

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

describe("generated files", () => {
  test.each(generatedFiles)("$path is up to date (else run: npm run generate)", async ({ path, render }) => {
    const committed = await readFile(new URL(`../../${path}`, import.meta.url), "utf8");
    expect(committed, `${path} is out of date; run npm run generate`).toBe(await render());
  });
});

describe("docs/architecture.md", () => {
  const text = readFileSync(new URL("../../docs/architecture.md", import.meta.url), "utf8");
  const quoted = [...text.matchAll(/`([^`\n]+)`/g)].map(([, inner = ""]) => inner);
  const exporter = new URL("../../exporter/", import.meta.url);
  const exists = (path: string) =>
    [path, `${path}.ts`, `../${path}`].some((name) => existsSync(new URL(name, exporter)));

  test("names only files and folders that exist", () => {
    const paths = quoted.filter((name) => /^[\w.-]+\/[\w./-]*$/.test(name));
    expect(paths.length).toBeGreaterThan(30);
    expect(paths.filter((path) => !exists(path))).toEqual([]);
  });

  test("names every folder and root file of the exporter", () => {
    const found = readdirSync(exporter, { withFileTypes: true });
    const names = found.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
    expect(names.filter((name) => !quoted.includes(name))).toEqual([]);
  });

  test("names every file of the engine", () => {
    const files = readdirSync(new URL("schedule/", exporter)).map((name) => name.replace(/\.ts$/, ""));
    expect(files.filter((name) => !quoted.includes(name))).toEqual([]);
  });
});
