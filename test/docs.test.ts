import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { generatedFiles } from "../scripts/generated-files.ts";

describe("generated files", () => {
  test.each(generatedFiles)("$path is up to date (else run: npm run generate)", async ({ path, render }) => {
    const committed = await readFile(new URL(`../${path}`, import.meta.url), "utf8");
    expect(committed, `${path} is out of date; run npm run generate`).toBe(await render());
  });
});
