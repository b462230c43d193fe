import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import packageJson from "../package.json" with { type: "json" };
import { ROOT } from "./support/repository.ts";
import { registerHooks } from "node:module";
import { parse } from "yaml";
import { z } from "zod";

const rightsFile = z.record(z.string(), z.string());

const stepFile = z.object({
  id: z.string().optional(),
  name: z.string().optional(),
  uses: z.string().optional(),
  run: z.string().optional(),
  with: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
  env: z.record(z.string(), z.string()).default({}),
});

const jobFile = z.object({
  needs: z.union([z.string(), z.array(z.string())]).optional(),
  uses: z.string().optional(),
  permissions: rightsFile.optional(),
  "timeout-minutes": z.number().optional(),
  strategy: z.object({ matrix: z.object({ node: z.array(z.number()) }) }).optional(),
  steps: z.array(stepFile).default([]),
});

const workflowFile = z.object({
  on: z.record(z.string(), z.unknown()),
  permissions: rightsFile,
  concurrency: z.object({ group: z.string(), "cancel-in-progress": z.union([z.boolean(), z.string()]) }),
  jobs: z.record(z.string(), jobFile),
});

type Step = z.output<typeof stepFile>;

/** The parts of a GitHub Actions workflow that the tests read. */
type Workflow = z.output<typeof workflowFile>;

const WORKFLOW_NAMES = ["check.yml", "release.yml"] as const;
type WorkflowName = (typeof WORKFLOW_NAMES)[number];

function workflowText(name: WorkflowName): string {
  return readFileSync(join(ROOT, ".github", "workflows", name), "utf8");
}

function readWorkflow(name: WorkflowName): Workflow {
  return workflowFile.parse(parse(workflowText(name)));
}

/** The problems that GitHub's own parser finds: syntax, fields, expressions, needs of jobs. */
async function workflowFaults(text: string): Promise<readonly string[]> {
  const { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } = await parser();
  const { context, value } = parseWorkflow(
    { name: "workflow.yml", content: text },
    new NoOperationTraceWriter(),
  );
  if (value) {
    const template = await convertWorkflowTemplate(context, value);
    return [
      ...context.errors.getErrors().map(({ message }) => message),
      ...(template.errors ?? []).map(({ Message: message }) => message),
    ];
  }
  return context.errors.getErrors().map(({ message }) => message);
}

/** The parser imports JSON without an import attribute, which Node refuses. */
async function parser() {
  const hooks = registerHooks({
    resolve: (specifier, context, next) => {
      const found = next(specifier, context);
      return found.url.endsWith(".json") ? { ...found, importAttributes: { type: "json" } } : found;
    },
  });
  try {
    return await import("@actions/workflow-parser");
  } finally {
    hooks.deregister();
  }
}

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

  test("has scripts without expressions, which could inject a command through the name of a branch", () => {
    expect(steps.filter(({ run }) => run?.includes("${{"))).toEqual([]);
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

describe("the check", () => {
  const { steps, strategy } = check.jobs["node"] ?? { steps: [], strategy: undefined };

  test("runs .ci/run for each change, .ci/nightly every night, and the fast tests on the other Node versions", () => {
    expect(Object.keys(check.on)).toEqual(["push", "pull_request", "schedule", "workflow_call"]);
    expect(check.jobs["check"]?.steps.at(-1)?.run).toBe(".ci/run");
    expect(check.jobs["nightly"]?.steps.at(-1)?.run).toBe(".ci/nightly");
    expect(strategy?.matrix.node).toEqual([24, 26]);
    expect(packageJson.engines.node).toBe(">=22.19");
    expect(steps.flatMap(({ run }) => run?.split("\n")[0] ?? [])).toEqual([
      "npm ci",
      "rm -r node_modules/node node_modules/.bin/node",
      'version=$(npm exec --call "node --version")',
      "npm run test:fast",
    ]);
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
