import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { generatedFiles } from "../scripts/generated-files.ts";

describe("generated files", () => {
  test.each(generatedFiles)("$path is up to date (else run: npm run generate)", async ({ path, render }) => {
    const committed = await readFile(new URL(`../${path}`, import.meta.url), "utf8");
    expect(committed, `${path} is out of date; run npm run generate`).toBe(await render());
  });
});

describe("docs/architecture.md", () => {
  const text = readFileSync(new URL("../docs/architecture.md", import.meta.url), "utf8");
  const quoted = [...text.matchAll(/`([^`\n]+)`/g)].map(([, inner = ""]) => inner);
  const exporter = new URL("../exporter/", import.meta.url);
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
