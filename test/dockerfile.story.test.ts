import { existsSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";

import { describe, expect, test } from "vitest";
import { z } from "zod";

import { imageRecipe, isInContext } from "./support/image-content.ts";
import { ROOT, sourceFiles } from "./support/repository.ts";
import { type SourceText, importsOf } from "./support/source-file.ts";

const dockerfile = read("Dockerfile");
const { node, stages } = imageRecipe();
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

  test("is based on an image that contains only Node, with the Node version of its build stages", () => {
    const major = /^gcr\.io\/distroless\/nodejs(\d+)-debian\d+:nonroot$/.exec(image?.base ?? "")?.[1];
    expect(Number(major)).toBeGreaterThanOrEqual(24);
    // The path in distroless images, which have no shell to look it up.
    expect(node).toBe("/nodejs/bin/node");
    for (const { name } of stages.slice(0, -1)) {
      expect(dockerfile).toContain(`\nFROM --platform=$BUILDPLATFORM node:${major}-slim AS ${name}\n`);
    }
    const lastStage = dockerfile.slice(dockerfile.lastIndexOf("\nFROM "));
    expect(lastStage).not.toMatch(/^(?:RUN|SHELL|ADD|VOLUME) /m);
    // The form without brackets would need a shell.
    expect(lastStage).not.toMatch(/^(?:ENTRYPOINT|CMD|HEALTHCHECK.*CMD) (?!\[)/m);
  });

  test("installs the same packages on every platform: those of the lock file, without scripts and devDependencies", () => {
    const [install, prune, ...rest] = commandsOf("dependencies");
    expect(install).toBe("npm ci --omit=dev --ignore-scripts --no-audit --no-fund");
    expect(prune).toMatch(
      /^find node_modules -type f .* -delete && find node_modules -type d -empty -delete$/,
    );
    expect(rest).toEqual([]);
  });

  test("runs as a numeric user that is not root", () => {
    expect(dockerfile).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
  });

  test("contains everything that its files import", () => {
    const files = sourceFiles(["exporter", "dashboards"]).filter(({ path }) => isCopied(path));
    expect(files.flatMap(missingFromImage)).toEqual([]);
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
