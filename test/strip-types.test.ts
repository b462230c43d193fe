import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { describe, expect, onTestFinished, test } from "vitest";

import { ROOT } from "./support/repository.ts";

/** Runs the script over a folder `source` with these files. */
function strip(files: Readonly<Record<string, string>>, parameters = ["source", "target"]) {
  const directory = mkdtempSync(join(tmpdir(), "strip-types-test-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  const program = join(ROOT, "scripts", "strip-types.ts");
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", program, ...parameters],
    { cwd: directory, encoding: "utf8" },
  );
  return { status, stdout, stderr, directory };
}

function textOf(code: string): string {
  const files = { "source/main.ts": code, "source/a.ts": "", "b.ts": "" };
  const { status, stderr, directory } = strip(files);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return readFileSync(join(directory, "target/main.js"), "utf8");
}

describe("stripping types keeps or produces", () => {
  test.each([
    ["blanks for types", "const a: string = b as string;\n", "const a         = b          ;\n"],
    ["lines", "interface A {\n  a: 1;\n}\nrun();\n", "             \n       \n \nrun();\n"],
    ["columns after multi-byte characters", 'f<"ä€">("😀") as 1;', 'f      ("😀")     ;'],
    [
      "an import of the .js file",
      'import { type A, a } from "./a.ts";',
      'import {         a } from "./a.js";',
    ],
    ["a re-export of the .js file", 'export * from "./a.ts";', 'export * from "./a.js";'],
    ["a dynamic import of the .js file", 'await import("./a.ts");', 'await import("./a.js");'],
    ["a worker's .js file", "new URL('./a.ts', import.meta.url);", "new URL('./a.js', import.meta.url);"],
    ["other imports unchanged", 'import "c.ts";\nimport "../b.json";', 'import "c.ts";\nimport "../b.json";'],
    [
      "no type imports, even from outside the folder",
      'import type { B } from "../b.ts";\na;',
      `${" ".repeat(33)}\na;`,
    ],
    ["a hashbang", "#!/usr/bin/env node\nrun();", "#!/usr/bin/env node\nrun();"],
    ["comments unchanged, with their file names", "// As in `a.ts`.\nrun();", "// As in `a.ts`.\nrun();"],
  ])("%s", (_name, code, text) => {
    const stripped = textOf(code);
    // The kind of blank that replaces a type does not matter.
    expect(stripped.replaceAll(/[^\S\n]/g, " ")).toBe(text);
    expect(stripped).toHaveLength(code.length);
  });

  test("other files in their folders", () => {
    const { directory } = strip({ "source/one/two/sample.mp3": "\u{1}", "source/one/a.ts": "a;" });
    const names = readdirSync(join(directory, "target"), { recursive: true, encoding: "utf8" });
    expect(names.toSorted()).toEqual(["one", "one/a.js", "one/two", "one/two/sample.mp3"]);
    expect(readFileSync(join(directory, "target/one/two/sample.mp3"), "utf8")).toBe("\u{1}");
  });
});

describe("stripping types fails", () => {
  test.each([
    ["for types that exist at run time", { "source/a.ts": "enum A {}" }, /"source\/a\.ts": .*enum/],
    ["for invalid syntax", { "source/a.ts": "const = 1;" }, /"source\/a\.ts": /],
    [
      "if an imported file would be missing",
      { "source/one/a.ts": 'import "../b.ts";', "b.ts": "" },
      /"source\/one\/a\.ts" names "\.\.\/b\.ts", which is not a file in "source"\n$/,
    ],
    [
      "if the target folder is not empty",
      { "source/a.ts": "", "target/b.js": "" },
      /"target" already exists, and /,
    ],
    ["if the source folder does not exist", {}, /ENOENT.*'source'/],
  ])("%s", (_name, files, message) => {
    const { status, stdout, stderr } = strip(files);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/^Cannot strip types: /);
    expect(stderr).toMatch(message);
  });

  test("without a target", () => {
    expect(strip({}, ["source"])).toMatchObject({
      status: 1,
      stderr: "Cannot strip types: expected SOURCE and TARGET\n",
    });
  });
});
