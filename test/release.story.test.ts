import { readdirSync, readFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import packageJson from "../package.json" with { type: "json" };
import { changelogSections, releaseNotes } from "../scripts/changelog.ts";
import { ROOT } from "./support/repository.ts";

const { version } = packageJson;
const CHANGELOG = read("CHANGELOG.md");

describe("the version", () => {
  test("equals that of package.json everywhere else", () => {
    const lock: unknown = JSON.parse(read("package-lock.json"));
    expect(lock).toMatchObject({ version, packages: { "": { version } } });
    const examples = readdirSync(join(ROOT, "infra", "examples")).map((name) => `infra/examples/${name}`);
    const pages = ["docs/deploy.md", "README.md", "charts/aigateway-exporter/README.md"];
    const tagged = [...pages, "compose.yaml", ...examples].flatMap((path) =>
      [...read(path).matchAll(/aigateway-exporter:(\d[\w.-]*)/g)].map(([, tag]) => ({ path, tag })),
    );
    expect(tagged.length).toBeGreaterThan(4);
    expect(tagged.filter(({ tag }) => tag !== version)).toEqual([]);
  });

  test("is not repeated in the code", () => {
    const files = readdirSync(join(ROOT, "exporter"), { recursive: true, encoding: "utf8" });
    const texts = files
      .filter((file) => file.endsWith(".ts"))
      .map((file) => ({ file, text: read(`exporter/${file}`) }));
    expect(texts.length).toBeGreaterThan(100);
    expect(texts.filter(({ text }) => text.includes(`"${version}"`)).map(({ file }) => file)).toEqual([]);
  });

  test("equals that of the changelog's newest section", () => {
    expect(changelogSections(CHANGELOG)[0]?.version).toBe(version);
  });
});

describe("the changelog", () => {
  const sections = changelogSections(CHANGELOG);

  test("lists the newest version first, and only that one may lack a date", () => {
    const versions = sections.map((section) => section.version);
    expect(versions).toEqual(
      versions.toSorted((a, b) => b.localeCompare(a, "en", { numeric: true, sensitivity: "base" })),
    );
    expect(sections.slice(1).filter(({ date }) => date === undefined)).toEqual([]);
  });

  test("has tagged entries in the documented order", () => {
    const order = ["CHANGE", "FEATURE", "ENHANCEMENT", "BUGFIX"];
    for (const { notes } of sections) {
      const tags = notes.split("\n").map((line) => /^- \[([A-Z]+)\] \S.*\.$/.exec(line)?.[1] ?? line);
      expect(tags).toEqual(tags.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)));
      expect(tags.filter((tag) => !order.includes(tag))).toEqual([]);
    }
  });
});

describe("releaseNotes", () => {
  const older = "## 1.1.0 / 2026-10-01\n\n- [FEATURE] Old.\n";

  test("are the newest section of the changelog", () => {
    const changelog = changelogOf("## 1.2.0 / 2026-11-21\n\n- [CHANGE] One.\n- [FEATURE] Two.\n", older);
    expect(releaseNotes("v1.2.0", "1.2.0", changelog)).toBe("- [CHANGE] One.\n- [FEATURE] Two.");
  });

  test.each([
    ["v1.2.1", changelogOf(older), 'package.json has version "1.2.0", which needs the tag "v1.2.0"'],
    ["1.2.0", changelogOf(older), 'package.json has version "1.2.0", which needs the tag "v1.2.0"'],
    ["", changelogOf(older), 'package.json has version "1.2.0", which needs the tag "v1.2.0"'],
    ["v1.2.0", changelogOf(older), 'the newest section of CHANGELOG.md is "1.1.0"'],
    ["v1.2.0", changelogOf(), 'the newest section of CHANGELOG.md is ""'],
    [
      "v1.2.0",
      changelogOf("## 1.2.0 / unreleased\n\n- [FEATURE] One.\n"),
      "its section of CHANGELOG.md has no date yet",
    ],
    ["v1.2.0", changelogOf("## 1.2.0 / 2026-11-21\n", older), "its section of CHANGELOG.md is empty"],
  ])("for the tag %j are refused, case %#", (tag, changelog, why) => {
    expect(() => releaseNotes(tag, "1.2.0", changelog)).toThrow(`Cannot release "${tag}": ${why}`);
  });

  test("are printed by the workflow's script, which fails for a wrong tag", () => {
    const [newest] = changelogSections(CHANGELOG);
    const printed =
      newest?.date === undefined ? { status: 1, stdout: "" } : { status: 0, stdout: `${newest.notes}\n` };
    expect(printNotes(`v${version}`)).toMatchObject(printed);
    const wrong = printNotes("v99.0.0");
    expect(wrong).toMatchObject({ status: 1, stdout: "" });
    expect(wrong.stderr).toBe(
      `Cannot release "v99.0.0": package.json has version "${version}", which needs the tag "v${version}"\n`,
    );
  });
});

function changelogOf(...sections: readonly string[]): string {
  return `# Changelog\n\nWords.\n\n${sections.join("\n")}`;
}

/** Runs the workflow's script. */
function printNotes(tag: string) {
  return spawnSync(process.execPath, [join(ROOT, "scripts", "release-notes.ts"), tag], { encoding: "utf8" });
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}
