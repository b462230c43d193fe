import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";

import { describe, expect, test } from "vitest";
import { z } from "zod";

import { DEFAULT_PORT } from "../exporter/config/schema.ts";
import { imageRecipe, isInContext } from "./support/image-content.ts";
import { ROOT, sourceFiles } from "./support/repository.ts";
import { type SourceText, importsOf } from "./support/source-file.ts";

const dockerfile = read("Dockerfile");
const { entry, node, options, stages } = imageRecipe();
const copies = stages.flatMap(({ steps }) => steps.filter((step) => step.kind === "COPY"));
const copied = copies.filter(({ from }) => from === undefined).flatMap(({ paths }) => paths);
const image = stages.at(-1);
const { dependencies } = z
  .object({ dependencies: z.record(z.string(), z.string()) })
  .parse(JSON.parse(read("package.json")));

describe("the image", () => {
  test("copies only existing paths, of which .dockerignore lets a build see no other file", () => {
    const allowed = read(".dockerignore")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
    expect(copied.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    expect(allowed[0]).toBe("*");
    const names = [
      ...new Set(
        allowed
          .slice(1)
          .map((line) =>
            line
              .slice(1)
              .replace(
                /^(exporter|dashboards\/expressions|dashboards\/rules|dashboards\/generated)\/.*/,
                "$1",
              ),
          ),
      ),
    ];
    expect(names.toSorted()).toEqual([...new Set(copied)].toSorted());
  });

  test("is built from every file of the exporter: each folder has its line in .dockerignore", () => {
    expect(sourceFiles(["exporter"]).flatMap(({ path }) => (isInContext(path) ? [] : path))).toEqual([]);
  });

  test("is built from every file of the dashboards' folders that it copies", () => {
    const folders = copied.filter(
      (path) => path.startsWith("dashboards/") && statSync(join(ROOT, path)).isDirectory(),
    );
    const files = folders.flatMap((folder) =>
      readdirSync(join(ROOT, folder))
        .filter((name) => /\.(?:ts|json)$/.test(name))
        .map((name) => `${folder}/${name}`),
    );
    expect(folders).toHaveLength(3);
    expect(files.length).toBeGreaterThan(20);
    expect(files.filter((path) => !isInContext(path))).toEqual([]);
    // A folder in one of them would need a line of its own.
    const nested = folders.flatMap((folder) =>
      readdirSync(join(ROOT, folder), { withFileTypes: true })
        .filter(
          (each) => each.isDirectory() && `${folder}/${each.name}` !== "dashboards/generated/prometheus",
        )
        .map(({ name }) => `${folder}/${name}`),
    );
    expect(nested).toEqual([]);
  });

  test.each([
    ["exporter/main.ts", true],
    ["exporter/gateway/wire/key.ts", true],
    ["exporter/probes/sample/sample.mp3", true],
    ["package.json", true],
    ["dashboards/rules/settings.ts", true],
    ["dashboards/generated/keys.json", true],
    ["dashboards/generated/.env", false],
    ["dashboards/generated/prometheus/rules.json", false],
    ["dashboards/rules/.env", false],
    ["dashboards/expressions/management.key", false],
    ["dashboards/keys.ts", false],
    ["exporter/.env", false],
    ["exporter/config/management.key", false],
    ["exporter/probes/sample/other.mp3", false],
    ["test/demo.ts", false],
    ["package.json.orig", false],
    [".env", false],
  ])("whether a build sees %s: %s", (path, isSeen) => {
    expect(isInContext(path)).toBe(isSeen);
  });

  test("contains the packages, the exporter with types stripped, package.json and the licence", () => {
    expect(image?.steps.filter(({ kind }) => kind === "COPY")).toEqual([
      {
        kind: "COPY",
        from: "dependencies",
        mode: undefined,
        paths: ["/app/node_modules"],
        to: "./node_modules",
      },
      { kind: "COPY", from: "javascript", mode: undefined, paths: ["/app/stripped"], to: "./" },
      { kind: "COPY", from: undefined, mode: "644", paths: ["package.json", "LICENSE"], to: "./" },
    ]);
    expect(commandsOf("javascript")).toEqual([
      // Node's warning about an experimental feature would look like a build error.
      "node --disable-warning=ExperimentalWarning scripts/strip-types.ts source stripped && " +
        "chmod -R u=rwX,go=rX stripped",
    ]);
  });

  test("names itself, its licence, version and revision", () => {
    const [, labels = ""] = /^LABEL (.+)$/m.exec(dockerfile) ?? [];
    expect([...labels.matchAll(/org\.opencontainers\.image\.(\w+)=/g)].map(([, name]) => name)).toEqual([
      "title",
      "description",
      "licenses",
      "version",
      "revision",
    ]);
  });

  test("starts an existing file", () => {
    expect(entry).toMatch(/^exporter\/.+\.js$/);
    expect(existsSync(join(ROOT, entry.replace(/js$/, "ts")))).toBe(true);
    expect(options).toEqual([
      "--no-allocation-site-pretenuring",
      "--disable-sigusr1",
      "--permission",
      "--allow-fs-read=*",
      "--allow-worker",
      // Node warns that threads may have other permissions, but the only thread gets none.
      "--disable-warning=SecurityWarning",
    ]);
  });

  test("is based on an image that contains only Node, with the Node version of its build stages", () => {
    const major = /^gcr\.io\/distroless\/nodejs(\d+)-debian\d+:nonroot$/.exec(image?.base ?? "")?.[1];
    expect(Number(major)).toBeGreaterThanOrEqual(24);
    // The path in distroless images, which have no shell to look it up.
    expect(node).toBe("/nodejs/bin/node");
    for (const { name } of stages.slice(0, -1)) {
      expect(dockerfile).toContain(`\nFROM --platform=$BUILDPLATFORM node:${major}-slim AS ${name}\n`);
    }
    const lastStage = dockerfile.slice(dockerfile.lastIndexOf("\nFROM "));
    expect(lastStage).not.toMatch(/^(?:RUN|SHELL|HEALTHCHECK|ADD|VOLUME) /m);
    // The form without brackets would need a shell.
    expect(lastStage).not.toMatch(/^(?:ENTRYPOINT|CMD) (?!\[)/m);
  });

  test("installs the same packages on every platform: those of the lock file, without scripts and devDependencies", () => {
    const [install, prune, ...rest] = commandsOf("dependencies");
    expect(install).toBe("npm ci --omit=dev --ignore-scripts --no-audit --no-fund");
    expect(prune).toMatch(
      /^find node_modules -type f .* -delete && find node_modules -type d -empty -delete$/,
    );
    expect(rest).toEqual([]);
  });

  test("passes its revision to the exporter", () => {
    expect(dockerfile).toContain("\nARG REVISION=unknown\n");
    expect(dockerfile).toMatch(/^ENV .*AIGATEWAY_EXPORTER_REVISION=\$REVISION$/m);
    const main = read("exporter/main.ts");
    expect(main).toContain('process.env["AIGATEWAY_EXPORTER_REVISION"]');
  });

  test("exposes the default port", () => {
    expect(dockerfile).toContain(`\nEXPOSE ${DEFAULT_PORT}\n`);
  });

  test("runs as a numeric user that is not root", () => {
    expect(dockerfile).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
  });

  test("contains everything that its files import", () => {
    const files = sourceFiles(["exporter", "dashboards"]).filter(({ path }) => isCopied(path));
    expect(files.flatMap(missingFromImage)).toEqual([]);
  });

  test.each([
    ["a devDependency", 'import { expect } from "vitest";', ["vitest"]],
    ["a subpath of a devDependency", 'import { a } from "@pulumi/pulumi/automation";', ["@pulumi/pulumi"]],
    [
      "a devDependency with inline type imports only, whose import remains",
      'import { type A } from "typescript";',
      ["typescript"],
    ],
    ["a file outside", 'import { a } from "../test/demo.ts";', ["../test/demo.ts"]],
    ["a dynamic import", 'await import("fast-check");', ["fast-check"]],
    ["nothing for a type import", 'import type { Resource } from "@pulumi/pulumi";', []],
    [
      "nothing for imports that it contains",
      'import "zod"; import "node:fs"; import "./app.ts"; import "../package.json";',
      [],
    ],
  ])("would lack %s", (_name, text, missing) => {
    expect(missingFromImage({ path: "exporter/main.ts", text })).toEqual(
      missing.map((name) => `exporter/main.ts:1 imports "${name}"`),
    );
  });
});

function commandsOf(stage: string): readonly string[] {
  const { steps = [] } = stages.find(({ name }) => name === stage) ?? {};
  return steps.flatMap((step) => (step.kind === "RUN" ? [step.value] : []));
}

/** The imports of a file that would fail in the image. */
function missingFromImage(file: SourceText): readonly string[] {
  return importsOf(file)
    .filter(({ erased }) => !erased)
    .flatMap(({ specifier, target, line }) => {
      const name = target === undefined ? packageName(specifier) : specifier;
      const present = target === undefined ? isInstalled(name) : isCopied(target);
      return present ? [] : [`${file.path}:${line} imports "${name}"`];
    });
}

function packageName(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

function isInstalled(name: string): boolean {
  return name.startsWith("node:") || builtinModules.includes(name) || name in dependencies;
}

function isCopied(path: string): boolean {
  return copied.some((part) => path === part || path.startsWith(`${part}/`));
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}
