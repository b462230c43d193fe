import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { parseAllDocuments, stringify } from "yaml";
import { z } from "zod";
import { ROOT } from "../support/repository.ts";
import { type Changes, LEAST } from "./program-settings.ts";

const manifest = z.looseObject({ kind: z.string() });

test("the manifests of a stack need neither a cluster nor the passphrase, and its wrong settings are named", () => {
  const file = join(mkdtempSync(join(tmpdir(), "stack-")), "Pulumi.production.yaml");
  const write = (settings: Changes) => {
    const config = {
      image: LEAST["image"],
      exporter: LEAST["exporter"],
      keys: { billing: SECURE },
      ...settings,
    };
    const named = Object.entries(config).map(([name, value]) => [`aigateway-exporter:${name}`, value]);
    writeFileSync(file, stringify({ config: Object.fromEntries(named) }));
  };
  const run = () =>
    spawnSync(process.execPath, [join(ROOT, "scripts", "stack-manifests.ts"), file], { encoding: "utf8" });
  write({ managementKey: SECURE });
  const objects = parseAllDocuments(run().stdout).map((document) => manifest.parse(document.toJS()));
  expect(objects.map(({ kind }) => kind)).toContain("Deployment");
  expect(JSON.stringify(objects)).toContain('"secretName":"aigateway-exporter-keys"');
  write({ managementKey: SECURE, keys: {} });
  expect(run().stdout).not.toContain("aigateway-exporter-keys");
  write({ image: "", shards: 0 });
  expect(run()).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/2 settings are wrong\s+shards.*\s+image/),
  });
  rmSync(dirname(file), { recursive: true });
});

test("the program names the Node that it needs", () => {
  const old =
    'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.19.0" } })';
  const parameters = ["--import", `data:text/javascript,${encodeURIComponent(old)}`];
  const { status, stderr } = spawnSync(process.execPath, [...parameters, join(ROOT, "infra", "index.js")], {
    encoding: "utf8",
  });
  expect(status).toBe(1);
  expect(stderr).toContain(
    "This program needs Node 22.19 or later, not 20.19.0: run Pulumi through npm run up",
  );
});

const SECURE = { secure: "v1:encrypted" };
