import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, onTestFinished, test } from "vitest";

import packageJson from "../package.json" with { type: "json" };
import { ROOT } from "./support/repository.ts";
import {
  readWorkflow,
  type Step,
  unknownCommands,
  WORKFLOW_NAMES,
  workflowFaults,
  workflowText,
} from "./support/workflow-file.ts";

const check = readWorkflow("check.yml");
const release = readWorkflow("release.yml");

test("every workflow is looked at", () => {
  expect(readdirSync(join(ROOT, ".github", "workflows")).toSorted()).toEqual([...WORKFLOW_NAMES]);
});

describe.each(WORKFLOW_NAMES)("%s", (name) => {
  const workflow = readWorkflow(name);
  const jobs = Object.entries(workflow.jobs);
  const steps = jobs.flatMap(([, { steps: own }]) => own);

  test("is what GitHub's parser takes", async () => {
    expect(await workflowFaults(workflowText(name))).toEqual([]);
  });

  test("calls only what the repository has", () => {
    const unknown = steps.flatMap(({ run = "" }) => unknownCommands(run, packageJson.scripts));
    expect(unknown).toEqual([]);
  });

  test("has scripts that a shell can read, and that hold no expression", () => {
    for (const { run } of steps.filter((step) => step.run !== undefined)) {
      expect(spawnSync("bash", ["-n"], { input: run, encoding: "utf8" })).toMatchObject({ status: 0 });
      // A branch or a title with a quote in it would be a command.
      expect(run).not.toContain("${{");
    }
  });

  test("uses actions of GitHub and Docker alone, of one major version, or a workflow that is here", () => {
    const used = [...steps.flatMap(({ uses }) => uses ?? []), ...jobs.flatMap(([, { uses }]) => uses ?? [])];
    const foreign = used.filter(
      (uses) =>
        !/^(?:actions|docker)\/[a-z-]+@(?:v\d+|[0-9a-f]{40})$/.test(uses) &&
        uses !== "./.github/workflows/check.yml",
    );
    expect(foreign).toEqual([]);
  });

  test("has no right but to read, no credential left in the clone, and an end to each job", () => {
    expect(workflow.permissions).toEqual({ contents: "read" });
    const checkouts = steps.filter(({ uses }) => uses?.startsWith("actions/checkout@"));
    expect(checkouts.map((step) => step.with)).toEqual(
      checkouts.map(() => ({ "persist-credentials": false })),
    );
    const endless = jobs.filter(([, { uses, ...job }]) => !uses && job["timeout-minutes"] === undefined);
    expect(endless).toEqual([]);
  });
});

describe("workflowFaults finds", () => {
  const good = workflowText("check.yml");
  test.each([
    ["a field that there is not", good.replace("runs-on:", "run-on:"), /run-on/],
    ["YAML that cannot be read", good.replace("jobs:", "jobs: {"), /./],
    ["an unknown event", good.replace("pull_request:", "pull_requests:"), /pull_requests/],
    ["an unknown right", good.replace("contents: read", "content: read"), /content/],
    ["an expression that cannot be read", good.replace("matrix.node }}", "matrix.node + }}"), /./],
    ["a job that there is not", workflowText("release.yml").replace("needs: notes", "needs: note"), /note/],
    ["a step that does nothing", good.replace("      - run: npm ci\n", "      - name: Nothing\n"), /./],
  ])("%s", async (_name, text, fault) => {
    expect(text).not.toBe(good);
    expect((await workflowFaults(text)).join("\n")).toMatch(fault);
  });
});

test.each([
  ["npm run checks", ["npm run checks"]],
  ["npm install", ["npm install"]],
  ["npm audit --audit-levels=high", ["npm audit --audit-levels=high"]],
  ["node scripts/releases.ts", ["node scripts/releases.ts"]],
  ["rm -r node_modules/nothing", ["rm -r node_modules/nothing"]],
  ['version=$(npm exce --call "node")\ntest 1', ['npm exce --call "node"']],
  ["if curl x; then exit 1; fi", ["curl x"]],
  ["npm ci && npm run check", []],
])("unknownCommands of %j", (script, unknown) => {
  expect(unknownCommands(script, packageJson.scripts)).toEqual(unknown);
});

describe("the check", () => {
  const { steps, strategy } = check.jobs["check"] ?? { steps: [], strategy: undefined };

  test("is run on each Node that is supported, also each week and for a release", () => {
    expect(strategy?.matrix.node).toEqual([22, 24, 26]);
    expect(packageJson.engines.node).toBe(">=22.19");
    expect(Object.keys(check.on)).toEqual(["push", "pull_request", "schedule", "workflow_call"]);
  });

  test("takes the pinned Node away and asserts the version before it checks", () => {
    expect(steps.flatMap(({ run }) => run?.split("\n")[0] ?? [])).toEqual([
      "npm ci",
      "rm -r node_modules/node node_modules/.bin/node",
      'version=$(npm exec --call "node --version")',
      "npm run check",
    ]);
    expect(named(steps, "Assert the version of Node").env).toEqual({ WANTED: "v${{ matrix.node }}" });
  });

  test("fails when npm runs another Node than the job is for", { timeout: 120_000 }, () => {
    const empty = mkdtempSync(join(tmpdir(), "workflow-test-"));
    onTestFinished(() => rmSync(empty, { recursive: true, force: true }));
    const script = named(steps, "Assert the version of Node").run ?? "";
    const assertion = (wanted: string) =>
      spawnSync("bash", ["-e"], { cwd: empty, input: script, env: { ...process.env, WANTED: wanted } })
        .status;
    const { stdout } = spawnSync("npm", ["exec", "--call", "node --version"], {
      cwd: empty,
      encoding: "utf8",
    });
    expect([assertion(stdout.split(".")[0] ?? ""), assertion("v1")]).toEqual([0, 1]);
  });
});

describe("a release", () => {
  const image = release.jobs["image"]?.steps ?? [];

  test("comes from a tag, and goes nowhere before its tag, its notes and the check are right", () => {
    expect(release.on).toEqual({ push: { tags: ["v*"] } });
    expect(Object.entries(release.jobs).map(([name, { needs }]) => [name, needs])).toEqual([
      ["notes", undefined],
      ["check", "notes"],
      ["image", "check"],
      ["release", "image"],
    ]);
    expect(release.jobs["notes"]?.steps.at(-1)?.run).toBe('node scripts/release-notes.ts "$GITHUB_REF_NAME"');
    expect(release.concurrency["cancel-in-progress"]).toBe(false);
  });

  test("may write packages and releases, each where it is needed", () => {
    const rights = Object.entries(release.jobs).map(([name, { permissions }]) => [name, permissions]);
    expect(rights).toEqual([
      ["notes", undefined],
      ["check", undefined],
      ["image", { contents: "read", packages: "write" }],
      ["release", { contents: "write" }],
    ]);
  });

  test("is an image for both platforms, with what it is made of and how", () => {
    const build = image.find(({ uses }) => uses?.startsWith("docker/build-push-action@"));
    expect(build?.with).toEqual({
      context: ".",
      platforms: "linux/amd64,linux/arm64",
      push: true,
      sbom: true,
      provenance: "mode=max",
      "build-args": "REVISION=${{ github.sha }}",
      tags: "${{ steps.metadata.outputs.tags }}",
      labels: "${{ steps.metadata.outputs.labels }}",
    });
  });

  test("has the tag's version, which is that of package.json, as the image's tag and label", () => {
    const metadata = image.find(({ id }) => id === "metadata");
    expect(metadata?.uses).toMatch(/^docker\/metadata-action@/);
    expect(metadata?.with["tags"]).toContain("type=semver,pattern={{version}}\n");
  });
});

function named(steps: readonly Step[], name: string): Step {
  const found = steps.find((step) => step.name === name);
  if (!found) throw new Error(`Cannot find the step "${name}"`);
  return found;
}
