import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";
import { z } from "zod";

import packageJson from "../package.json" with { type: "json" };
import { ROOT, sourceFiles } from "./support/repository.ts";
import { importsOf } from "./support/source-file.ts";

const LICENCES = ["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"];

const entry = z.object({
  integrity: z.string().optional(),
  license: z.string().optional(),
  dev: z.boolean().default(false),
  optional: z.boolean().default(false),
  hasInstallScript: z.boolean().default(false),
  os: z.array(z.string()).optional(),
  cpu: z.array(z.string()).optional(),
});

const lock = z
  .object({ packages: z.record(z.string(), entry) })
  .parse(JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")));

/** The packages that `npm ci --omit=dev` installs. */
const installed = Object.entries(lock.packages).filter(([path, { dev }]) => path !== "" && !dev);

describe("the dependencies of the image", () => {
  const names = Object.keys(packageJson.dependencies);

  test("are those that SECURITY.md justifies", () => {
    const rows = [
      ...readFileSync(join(ROOT, "SECURITY.md"), "utf8").matchAll(/^\| `([^`]+)` \| (\S.*\S) \|$/gm),
    ];
    expect(rows.map(([, name]) => name)).toEqual(names);
  });

  test("are all in use", () => {
    const used = new Set(
      sourceFiles(["exporter"])
        .flatMap(importsOf)
        .map(({ specifier }) => specifier),
    );
    expect(names.filter((name) => ![...used].some((specifier) => isOf(specifier, name)))).toEqual([]);
  });

  test("are pinned exactly", () => {
    const versions = Object.entries({ ...packageJson.dependencies, ...packageJson.devDependencies });
    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  test("are few, including transitive ones", () => {
    expect(installed.length).toBeGreaterThanOrEqual(names.length);
    expect(installed.length).toBeLessThanOrEqual(25);
  });

  test("are verified by a hash, and have a licence that requires only attribution", () => {
    expect(installed.filter(([, { integrity }]) => !integrity?.startsWith("sha512-"))).toEqual([]);
    expect(installed.filter(([, { license = "" }]) => !LICENCES.includes(license))).toEqual([]);
  });

  test("are the same on every platform and run no install scripts", () => {
    const particular = installed.filter(([, { os, cpu, optional }]) => os || cpu || optional);
    expect(particular).toEqual([]);
    expect(installed.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([]);
    expect(installed.flatMap(([path]) => nativeFiles(path))).toEqual([]);
  });
});

function isOf(specifier: string, name: string): boolean {
  return specifier === name || specifier.startsWith(`${name}/`);
}

function nativeFiles(path: string): readonly string[] {
  return readdirSync(join(ROOT, path), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(?:node|so|dll|exe)$|(?:^|\/)binding\.gyp$/.test(file))
    .map((file) => `${path}/${file}`);
}
