import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { imageRecipe } from "./support/image-content.ts";
import { ROOT } from "./support/repository.ts";
import { describeWithTools } from "./support/tools.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const UNIT = "aigateway-exporter.service";
const FILE = join(ROOT, "examples", "systemd", UNIT);
const unit = readFileSync(FILE, "utf8");

describe("the systemd unit", () => {
  test("starts Node with the options and the environment of the image", () => {
    const { options, environment } = imageRecipe();
    const start = ["/usr/bin/node", ...options].join(" ");
    const starts = [...unit.matchAll(/^ExecStart(?:Post)?=(.+)$/gm)].map(([, line = ""]) => line);
    expect(starts.map((line) => line.startsWith(`${start} `))).toEqual([true, true]);
    const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
    expect(unit).toContain(`\nEnvironment=${variables.join(" ")}\n`);
  });
});

describeWithTools(["systemdAnalyze"], "the systemd unit", ({ systemdAnalyze }) => {
  test("is exposed at most 2.0 of 10", () => {
    const parameters = ["security", "--offline=true", "--threshold=20", "--no-pager", FILE];
    expect(execFileSync(systemdAnalyze, parameters, { encoding: "utf8" })).toMatch(
      /Overall exposure level for aigateway-exporter\.service: [01]\.\d /,
    );
  });

  test("has no fault that systemd sees", () => {
    const folder = temporaryFolder();
    const copy = join(folder, UNIT);
    writeFileSync(copy, unit.replaceAll("/usr/bin/node", process.execPath));
    const { status, stderr } = spawnSync(systemdAnalyze, ["verify", "--man=no", copy], { encoding: "utf8" });
    // It also names faults of the machine's own units.
    expect([status, stderr.split("\n").filter((line) => line.includes(UNIT))]).toEqual([0, []]);
  });
});
