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

test("every workflow is tested", () => {
  expect(readdirSync(join(ROOT, ".github", "workflows")).toSorted()).toEqual([...WORKFLOW_NAMES]);
});

describe.each(WORKFLOW_NAMES)("%s", (name) => {
  const workflow = readWorkflow(name);
  const jobs = Object.entries(workflow.jobs);
  const steps = jobs.flatMap(([, { steps: own }]) => own);

  test("is accepted by GitHub's parser", async () => {
    expect(await workflowFaults(workflowText(name))).toEqual([]);
  });

  test("runs only commands that the repository has", () => {
    const unknown = steps.flatMap(({ run = "" }) => unknownCommands(run, packageJson.scripts));
    expect(unknown).toEqual([]);
  });

  test("has valid shell scripts without expressions", () => {
    for (const { run } of steps.filter((step) => step.run !== undefined)) {
      expect(spawnSync("bash", ["-n"], { input: run, encoding: "utf8" })).toMatchObject({ status: 0 });
      // An expression could inject a command through a branch name or a title that contains a quote.
      expect(run).not.toContain("${{");
    }
  });

  test("uses only GitHub's and Docker's actions, at one major version, and workflows of this repository", () => {
    const used = [...steps.flatMap(({ uses }) => uses ?? []), ...jobs.flatMap(([, { uses }]) => uses ?? [])];
    const foreign = used.filter(
      (uses) =>
        !/^(?:actions|docker)\/[a-z-]+@(?:v\d+|[0-9a-f]{40})$/.test(uses) &&
        uses !== "./.github/workflows/check.yml",
    );
    expect(foreign).toEqual([]);
  });

  test("has read-only permissions, no credentials left in the clone, and a timeout for each job", () => {
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
    ["an unknown field", good.replace("runs-on:", "run-on:"), /run-on/],
    ["invalid YAML", good.replace("jobs:", "jobs: {"), /./],
    ["an unknown event", good.replace("pull_request:", "pull_requests:"), /pull_requests/],
    ["an unknown permission", good.replace("contents: read", "content: read"), /content/],
    ["an invalid expression", good.replace("matrix.node }}", "matrix.node + }}"), /./],
    ["an unknown job", workflowText("release.yml").replace("needs: notes", "needs: note"), /note/],
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

  test("runs on each supported Node version, every week and for each release", () => {
    expect(strategy?.matrix.node).toEqual([22, 24, 26]);
    expect(packageJson.engines.node).toBe(">=22.19");
    expect(Object.keys(check.on)).toEqual(["push", "pull_request", "schedule", "workflow_call"]);
  });

  test("removes the pinned Node and asserts the version before it checks", () => {
    expect(steps.flatMap(({ run }) => run?.split("\n")[0] ?? [])).toEqual([
      "npm ci",
      "rm -r node_modules/node node_modules/.bin/node",
      'version=$(npm exec --call "node --version")',
      "npm run check",
    ]);
    expect(named(steps, "Assert the version of Node").env).toEqual({ WANTED: "v${{ matrix.node }}" });
  });

  test("fails if npm runs a Node version other than the job's", { timeout: 120_000 }, () => {
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

  test("starts from a tag and publishes nothing until tag, notes and check have passed", () => {
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

  test("may write packages and releases only in the jobs that need to", () => {
    const rights = Object.entries(release.jobs).map(([name, { permissions }]) => [name, permissions]);
    expect(rights).toEqual([
      ["notes", undefined],
      ["check", undefined],
      ["image", { contents: "read", packages: "write" }],
      ["release", { contents: "write" }],
    ]);
  });

  test("is an image for both platforms, with its SBOM and provenance", () => {
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

  test("uses the version of tag and package.json as the image's tag and label", () => {
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
