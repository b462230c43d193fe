import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { ROOT } from "../support/repository.ts";

/** A program in the place of docker, which runs the repository's exporter in the place of a container. */
const DOCKER = `#!/usr/bin/env bash
while [[ $1 != *-exporter ]]; do shift; done
[[ $1 == broken-exporter ]] && exit 1
exec node exporter/main.ts "\${@:2}"
`;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "scrape-image-test-"));
  writeFileSync(join(folder, "docker"), DOCKER, { mode: 0o755 });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function scrapeImage(image: string) {
  const path = [folder, dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter);
  return spawnSync(join(ROOT, ".ci", "scrape-image"), [image], {
    encoding: "utf8",
    env: { ...process.env, PATH: path },
  });
}

test("scrape-image scrapes a container that polls a simulated gateway", { timeout: 180_000 }, () => {
  const { status, stdout, stderr } = scrapeImage("good-exporter");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toMatch(/^Scraped good-exporter: \d{3,} samples\n$/);
});

test("scrape-image fails if the container ends", { timeout: 180_000 }, () => {
  const { status, stderr } = scrapeImage("broken-exporter");
  expect(status).toBe(1);
  expect(stderr).toMatch(/^Cannot scrape broken-exporter: /);
});
