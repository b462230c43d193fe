import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";

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

  // A tag can be moved to other code; a commit cannot. The comment names its version, which Dependabot reads and updates.
  const actions = [...workflowText(name).matchAll(/ uses: ([^@\s]+)@([0-9a-f]{40}) # v(\d+)\.\d+\.\d+$/gm)];

  test("uses only actions of GitHub, Docker and Sigstore, pinned to commits, and workflows of this repository", () => {
    const used = [...steps, ...jobs.map(([, job]) => job)].flatMap(({ uses }) => uses ?? []);
    const pinned = actions.map(([, action, commit]) => `${action}@${commit}`);
    const others = used.filter((uses) => !pinned.includes(uses));
    expect(others.filter((uses) => uses !== "./.github/workflows/check.yml")).toEqual([]);
    const trusted = /^(?:(?:actions|docker)\/[a-z-]+|sigstore\/cosign-installer)@/;
    expect(pinned.filter((uses) => !trusted.test(uses))).toEqual([]);
    // One version of each action in the file.
    expect(new Set(pinned).size).toBe(new Set(actions.map(([, action]) => action)).size);
  });

  test("uses actions whose Node is supported", () => {
    const old = actions.filter(
      ([, action = "", , major]) => Number(major) < (OLDEST[action] ?? Number.POSITIVE_INFINITY),
    );
    expect(old.map(([uses]) => uses)).toEqual([]);
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

/** The first major versions on Node 24; the earlier ones run on a Node without fixes. */
const OLDEST: Readonly<Record<string, number>> = {
  "actions/attest": 4,
  "actions/checkout": 5,
  "actions/setup-go": 6,
  "actions/setup-node": 5,
  "actions/upload-artifact": 6,
  "docker/build-push-action": 7,
  "docker/login-action": 4,
  "docker/metadata-action": 6,
  "docker/setup-buildx-action": 4,
  "docker/setup-qemu-action": 4,
  "sigstore/cosign-installer": 4,
};

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
  ["npm publish", ["npm publish"]],
  ["helm package charts/other", ["helm package charts/other"]],
  [".ci/other x", [".ci/other x"]],
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

  test("installs the Go version of the alert benchmark's program before it checks", () => {
    const [used] = steps.filter(({ uses }) => uses?.startsWith("actions/setup-go@"));
    expect(used?.with["go-version-file"]).toBe("bench/alerts/go.mod");
    expect(steps.at(-1)?.run).toBe("npm run check");
  });

  test("fails if npm runs a Node version other than the job's", { timeout: 180_000 }, () => {
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

test("Dependabot updates every Go module", () => {
  const modules = globSync("bench/**/go.mod", { cwd: ROOT }).map((file) => `/${dirname(file)}`);
  const { updates } = parse(readFileSync(join(ROOT, ".github", "dependabot.yml"), "utf8"));
  expect(modules).toContain("/bench/alerts");
  expect(updates).toContainEqual(
    expect.objectContaining({ "package-ecosystem": "gomod", directories: modules.toSorted() }),
  );
});

describe("a release", () => {
  const image = release.jobs["image"]?.steps ?? [];

  test("starts from a tag and publishes nothing until tag, notes and check have passed", () => {
    expect(release.on).toEqual({ push: { tags: ["v*"] } });
    expect(Object.entries(release.jobs).map(([name, { needs }]) => [name, needs])).toEqual([
      ["notes", undefined],
      ["check", "notes"],
      ["image", "check"],
      ["npm", "image"],
      ["chart", "image"],
      ["release", ["npm", "chart"]],
    ]);
    expect(release.jobs["notes"]?.steps.at(-1)?.run).toBe('node scripts/release-notes.ts "$GITHUB_REF_NAME"');
    expect(release.concurrency["cancel-in-progress"]).toBe(false);
  });

  test("may write packages and releases only in the jobs that need to", () => {
    const rights = Object.entries(release.jobs).map(([name, { permissions }]) => [name, permissions]);
    expect(rights).toEqual([
      ["notes", undefined],
      ["check", undefined],
      ["image", { contents: "read", packages: "write", "id-token": "write", attestations: "write" }],
      ["npm", { contents: "read", "id-token": "write" }],
      ["chart", { contents: "read", packages: "write", "id-token": "write" }],
      ["release", { contents: "write" }],
    ]);
  });

  test("is an image for both platforms, with its SBOM and provenance", () => {
    const build = image.find(({ id }) => id === "push");
    expect(build?.uses).toMatch(/^docker\/build-push-action@/);
    expect(build?.with).toEqual({
      context: ".",
      platforms: "linux/amd64,linux/arm64",
      push: true,
      sbom: true,
      provenance: "mode=max",
      "build-args": "REVISION=${{ github.sha }}\nVERSION=${{ steps.metadata.outputs.version }}\n",
      tags: "${{ steps.metadata.outputs.tags }}",
      labels: "${{ steps.metadata.outputs.labels }}",
    });
  });

  test("uses the version of tag and package.json as the image's tag and label", () => {
    const metadata = image.find(({ id }) => id === "metadata");
    expect(metadata?.uses).toMatch(/^docker\/metadata-action@/);
    expect(metadata?.with["tags"]).toContain("type=semver,pattern={{version}}\n");
    expect(metadata?.with["flavor"]).toBe("latest=auto");
  });

  test("scrapes the image before it publishes it, with the same parameters", () => {
    const names = image.map(({ uses = "", run = "" }) => uses.split("@")[0] || run.split(" ")[0]);
    expect(names.filter((name) => /build-push|scrape|login/.test(name ?? ""))).toEqual([
      "docker/build-push-action",
      ".ci/scrape-image",
      "docker/login-action",
      "docker/build-push-action",
    ]);
    const [trial, push] = image.filter(({ uses }) => uses?.startsWith("docker/build-push-action@"));
    expect(trial?.with["build-args"]).toBe(push?.with["build-args"]);
    expect(trial?.with["push"]).toBeUndefined();
    const scrape = image.find(({ run }) => run?.startsWith(".ci/scrape-image"));
    expect(scrape?.run).toBe(`.ci/scrape-image ${String(trial?.with["tags"])}`);
  });

  test("signs the image and the chart, and attests the image's provenance and SBOM", () => {
    const scripts = [...image, ...(release.jobs["chart"]?.steps ?? [])].map(({ run = "" }) => run);
    expect(scripts.filter((run) => run.includes("cosign sign --yes"))).toHaveLength(2);
    const attested = image.filter(({ uses }) => uses?.startsWith("actions/attest@"));
    expect(attested.map((step) => step.with["subject-digest"])).toEqual([
      "${{ steps.push.outputs.digest }}",
      "${{ steps.push.outputs.digest }}",
    ]);
    expect(attested.map((step) => step.with["sbom-path"] !== undefined)).toEqual([false, true]);
  });

  test("publishes the npm package with provenance and without a token", () => {
    const steps = release.jobs["npm"]?.steps ?? [];
    const publish = named(steps, "Publish the npm package");
    expect(publish.run).toContain("npm publish --provenance --access=public\n");
    expect(JSON.stringify(steps)).not.toContain("secrets.");
  });
});

function named(steps: readonly Step[], name: string): Step {
  const found = steps.find((step) => step.name === name);
  if (!found) throw new Error(`Cannot find the step "${name}"`);
  return found;
}
