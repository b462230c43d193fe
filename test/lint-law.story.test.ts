import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./support/repository.ts";
import { LAWS, type Law, PACKAGES, ROOMS, wordsOf } from "./support/import-law.ts";

interface LintOverride {
  readonly files: readonly string[];
  readonly rules: {
    readonly "no-restricted-imports": readonly ["error", { readonly patterns: readonly Pattern[] }];
  };
}

interface Pattern {
  readonly regex?: string;
  readonly group?: readonly string[];
  readonly importNamePattern?: string;
  readonly allowTypeImports?: true;
  readonly message: string;
}

/**
 * The import law as overrides for the linter. The linter sees specifiers instead of paths, so it checks the folder
 * that an import names, however deep the importing file is. The architecture test checks the rest.
 */
function lintOverrides(): readonly LintOverride[] {
  return [
    ...LAWS.flatMap(overridesOf),
    // The last matching override applies, so those for single files follow those for folders.
    ...PACKAGES.flatMap(({ only }) => only).flatMap((path) => {
      const law =
        path.endsWith(".ts") &&
        LAWS.find(({ of }) => of.some((folder) => isRoom(folder) && path.startsWith(folder)));
      return law ? [override(path, patternsOf(law, path))] : [];
    }),
  ];
}

/** The file that `.oxlintrc.json` extends: a line for each pattern. */
function lintLawText(): string {
  const overrides = lintOverrides().map(({ files, rules }) => {
    const [level, { patterns }] = rules["no-restricted-imports"];
    const lines = patterns.map((pattern) => `      ${JSON.stringify(pattern)}`).join(",\n");
    return `  { "files": ${JSON.stringify(files)}, "rules": { "no-restricted-imports": ["${level}", { "patterns": [\n${lines}\n    ]}]}}`;
  });
  return `{ "overrides": [\n${overrides.join(",\n")}\n]}\n`;
}

function overridesOf(law: Law): readonly LintOverride[] {
  // Here, a single file follows the law of its folder.
  return law.of
    .filter((path) => !/^exporter\/(?:|[a-z]+\/.+)$/.test(path))
    .map((path) => override(path, patternsOf(law, path)));
}

function override(path: string, patterns: readonly Pattern[]): LintOverride {
  const files = [path.endsWith("/") ? `${path}**` : path];
  return { files, rules: { "no-restricted-imports": ["error", { patterns }] } };
}

function patternsOf(law: Law, path: string): readonly Pattern[] {
  const message = `Import law: ${wordsOf(law)}`;
  const isProduct = /^(?:exporter|dashboards|infra)\//.test(path);
  const imports = path.startsWith("exporter/") ? insideExporter(law, path) : intoExporter(law);
  return [...imports.map((pattern) => ({ ...pattern, message })), ...(isProduct ? packages(path) : [])];
}

type Restriction = Omit<Pattern, "message">;

/** `../gateway/`, `../../gateway/`, …; `./gateway/` for the files at the root. */
function insideExporter(law: Law, path: string): readonly Restriction[] {
  const isRoot = !path.slice("exporter/".length).includes("/");
  const others = ROOMS.map((name) => `exporter/${name}/`).filter(
    (room) => room !== path && !law.values.includes(room),
  );
  const isOpen = (room: string): boolean => law.types.includes(room) || exceptionsIn(law, room).length > 0;
  const closed = others.filter((room) => !isOpen(room)).map((room) => `${nameOf(room)}/`);
  const files = ["app.ts", "main.ts"].filter(
    (file) => `exporter/${file}` !== path && !law.values.includes(`exporter/${file}`),
  );
  const inside = [...closed, ...files.map((file) => file.replace(".", String.raw`\.`))].join("|");
  // The architecture test checks which files of the others a folder may import.
  const outside = OUTSIDE.map((name) => `${name}/`)
    .filter((folder) => !law.values.some((value) => value.startsWith(folder)))
    .join("|");
  return [
    {
      regex: isRoot
        ? String.raw`^(\./(${inside || "\\."})|(\.\./)+(${outside}))`
        : String.raw`^(\.\./)+(${inside}|${outside})`,
    },
    ...others.filter(isOpen).map((room) => ({
      group: [
        `**/${nameOf(room)}/**`,
        ...exceptionsIn(law, room).map((file) => `!**/${nameOf(room)}/${file}`),
      ],
      ...(law.types.includes(room) && { importNamePattern: "[a-z]", allowTypeImports: true as const }),
    })),
  ];
}

/** Folders beside the exporter's. */
const OUTSIDE = ["dashboards", "infra", "test", "bench", "scripts"] as const;

function intoExporter(law: Law): readonly Restriction[] {
  const allowed = law.values.filter((path) => path.startsWith("exporter/"));
  const own = law.of.map((path) => path.split("/").at(-2));
  const closed = [...OUTSIDE, "support", "gateway-contract"].filter(
    (name) =>
      !own.includes(name) &&
      !law.values.some((path) => path.endsWith(`${name}/`)) &&
      !law.of.some((path) => path.startsWith(`${name}/`)),
  );
  return [
    { group: ["**/exporter/**", ...allowed.map((path) => `!**/${path.endsWith("/") ? `${path}**` : path}`)] },
    { regex: String.raw`^(\.\./)+(${closed.join("|")})/` },
  ];
}

function packages(path: string): readonly Pattern[] {
  const closed = PACKAGES.filter(
    ({ only }) =>
      !only.includes(path) && !only.some((folder) => folder.endsWith("/") && path.startsWith(folder)),
  );
  const names = closed.map(({ name }) => name).join("|");
  const message = "Package law: this package belongs to another file (test/support/import-law.ts)";
  return [{ regex: `^(${names})(/|$)`, message }];
}

function exceptionsIn(law: Law, room: string): readonly string[] {
  return law.values
    .filter((path) => path.startsWith(room) && path !== room)
    .map((path) => path.slice(room.length));
}

function nameOf(room: string): string {
  return room.split("/")[1] ?? "";
}

function isRoom(path: string): boolean {
  return /^exporter\/[a-z]+\/$/.test(path);
}

test(".oxlintrc.law.json has the import law (`npm run law:update` writes it)", async () => {
  await expect(lintLawText()).toMatchFileSnapshot(join(ROOT, ".oxlintrc.law.json"));
});
