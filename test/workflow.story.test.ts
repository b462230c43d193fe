import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "./support/repository.ts";
import { registerHooks } from "node:module";
import { parse } from "yaml";
import { z } from "zod";

const stepFile = z.object({
  uses: z.string().optional(),
  run: z.string().optional(),
  with: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
});

const jobFile = z.object({
  uses: z.string().optional(),
  "timeout-minutes": z.number().optional(),
  steps: z.array(stepFile).default([]),
});

const workflowFile = z.object({
  permissions: z.record(z.string(), z.string()),
  jobs: z.record(z.string(), jobFile),
});

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
