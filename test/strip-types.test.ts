import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { describe, expect, onTestFinished, test } from "vitest";

import { ROOT } from "./support/repository.ts";

/** Runs it over a folder `source` of these files. */
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

describe("stripping types leaves", () => {
  test.each([
    ["blanks for types", "const a: string = b as string;\n", "const a         = b          ;\n"],
    ["lines", "interface A {\n  a: 1;\n}\nrun();\n", "             \n       \n \nrun();\n"],
    ["columns behind letters of two bytes and more", 'f<"ä€">("😀") as 1;', 'f      ("😀")     ;'],
    [
      "an import, as JavaScript",
      'import { type A, a } from "./a.ts";',
      'import {         a } from "./a.js";',
    ],
    ["a re-export", 'export * from "./a.ts";', 'export * from "./a.js";'],
    ["an import when it is needed", 'await import("./a.ts");', 'await import("./a.js");'],
    ["a file of a thread", "new URL('./a.ts', import.meta.url);", "new URL('./a.js', import.meta.url);"],
    [
      "imports of anything else",
      'import "c.ts";\nimport "../b.json";',
      'import "c.ts";\nimport "../b.json";',
    ],
    ["none of types, from anywhere", 'import type { B } from "../b.ts";\na;', `${" ".repeat(33)}\na;`],
    ["what a program begins with", "#!/usr/bin/env node\nrun();", "#!/usr/bin/env node\nrun();"],
    ["comments, with their names", "// As in `a.ts`.\nrun();", "// As in `a.ts`.\nrun();"],
  ])("%s", (_name, code, text) => {
    const stripped = textOf(code);
    // Of the letters, too, one blank or another may stand where a type was.
    expect(stripped.replaceAll(/[^\S\n]/g, " ")).toBe(text);
    expect(stripped).toHaveLength(code.length);
  });

  test("other files, in their folders", () => {
    const { directory } = strip({ "source/one/two/sample.mp3": "\u{1}", "source/one/a.ts": "a;" });
    const names = readdirSync(join(directory, "target"), { recursive: true, encoding: "utf8" });
    expect(names.toSorted()).toEqual(["one", "one/a.js", "one/two", "one/two/sample.mp3"]);
    expect(readFileSync(join(directory, "target/one/two/sample.mp3"), "utf8")).toBe("\u{1}");
  });
});

describe("types cannot be stripped", () => {
  test.each([
    ["where they are more than types", { "source/a.ts": "enum A {}" }, /"source\/a\.ts": .*enum/],
    ["of what cannot be read", { "source/a.ts": "const = 1;" }, /"source\/a\.ts": /],
    [
      "when a file is named that would be missing",
      { "source/one/a.ts": 'import "../b.ts";', "b.ts": "" },
      /"source\/one\/a\.ts" names "\.\.\/b\.ts", which is not a file in "source"\n$/,
    ],
    ["into a folder that has something", { "source/a.ts": "", "target/b.js": "" }, /"target" already exists, and /],
    ["of what is not there", {}, /ENOENT.*'source'/],
  ])("%s", (_name, files, message) => {
    const { status, stdout, stderr } = strip(files);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/^Cannot strip types: /);
    expect(stderr).toMatch(message);
  });

  test("to nowhere", () => {
    expect(strip({}, ["source"])).toMatchObject({
      status: 1,
      stderr: "Cannot strip types: expected SOURCE and TARGET\n",
    });
  });
});
