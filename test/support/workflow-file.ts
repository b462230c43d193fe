import { existsSync, readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";

import { parse } from "yaml";
import { z } from "zod";

import { ROOT } from "./repository.ts";

const permissions = z.record(z.string(), z.string());

const step = z.object({
  id: z.string().optional(),
  name: z.string().optional(),
  uses: z.string().optional(),
  run: z.string().optional(),
  with: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
  env: z.record(z.string(), z.string()).default({}),
});

const job = z.object({
  needs: z.union([z.string(), z.array(z.string())]).optional(),
  uses: z.string().optional(),
  permissions: permissions.optional(),
  "timeout-minutes": z.number().optional(),
  strategy: z.object({ matrix: z.object({ node: z.array(z.number()) }) }).optional(),
  steps: z.array(step).default([]),
});

const workflow = z.object({
  on: z.record(z.string(), z.unknown()),
  permissions,
  concurrency: z.object({ group: z.string(), "cancel-in-progress": z.union([z.boolean(), z.string()]) }),
  jobs: z.record(z.string(), job),
});

export type Step = z.output<typeof step>;

/** The parts of a GitHub Actions workflow that the tests read. */
export type Workflow = z.output<typeof workflow>;

export const WORKFLOW_NAMES = ["check.yml", "release.yml"] as const;
export type WorkflowName = (typeof WORKFLOW_NAMES)[number];

export function workflowText(name: WorkflowName): string {
  return readFileSync(join(ROOT, ".github", "workflows", name), "utf8");
}

export function readWorkflow(name: WorkflowName): Workflow {
  return workflow.parse(parse(workflowText(name)));
}

/** The problems that GitHub's own parser finds: syntax, fields, expressions, needs of jobs. */
export async function workflowFaults(text: string): Promise<readonly string[]> {
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

/** The commands of a step that are neither in the repository nor on the list of known ones. */
export function unknownCommands(
  script: string,
  scripts: Readonly<Record<string, string>>,
): readonly string[] {
  return commandsOf(script).filter((command) => {
    const [program = "", ...parameters] = command.split(/\s+/);
    const isKnown = COMMANDS[program];
    return isKnown === undefined || !isKnown(parameters, scripts);
  });
}

const packageLock = z.object({
  packages: z.record(z.string(), z.object({ bin: z.record(z.string(), z.string()).default({}) })),
});

/**
 * The programs that `npm ci` installs in `node_modules`, whether or not they exist now: a workflow may have removed
 * some before the tests.
 */
const installed = new Set(
  Object.entries(
    packageLock.parse(JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"))).packages,
  ).flatMap(([path, { bin }]) => [path, ...Object.keys(bin).map((name) => `node_modules/.bin/${name}`)]),
);

type Check = (parameters: readonly string[], scripts: Readonly<Record<string, string>>) => boolean;

const always: Check = () => true;

/** The commands that a step may call, and their form. */
const COMMANDS: Readonly<Record<string, Check>> = {
  npm: ([command = "", ...parameters], scripts) => isNpm(command, parameters, scripts),
  node: ([file = ""]) => file === "--print" || existsSync(join(ROOT, file)),
  rm: ([flag, ...paths]) => flag === "-r" && paths.every((path) => installed.has(path)),
  test: always,
  echo: always,
  exit: always,
  docker: ([command]) => command === "run" || command === "buildx",
  ".ci/scrape-image": () => existsSync(join(ROOT, ".ci", "scrape-image")),
  sed: always,
  cosign: ([command]) => command === "sign",
  helm: ([command, chart = ""]) =>
    command === "push" || (command === "package" && existsSync(join(ROOT, chart, "Chart.yaml"))),
  gh: ([group, command]) => group === "release" && command === "create",
};

function isNpm(
  command: string,
  parameters: readonly string[],
  scripts: Readonly<Record<string, string>>,
): boolean {
  switch (command) {
    case "ci":
      return (
        parameters.every((flag) => ["--omit=dev", "--ignore-scripts"].includes(flag)) &&
        existsSync(join(ROOT, "package-lock.json"))
      );
    case "run":
      return parameters.length === 1 && parameters.every((name) => Object.hasOwn(scripts, name));
    case "audit":
      return parameters.every((flag) => ["signatures", "--omit=dev", "--audit-level=high"].includes(flag));
    case "sbom":
      return parameters.join(" ").startsWith("--omit=dev --package-lock-only --sbom-format=cyclonedx > ");
    case "pkg":
      return parameters[0] === "set" && parameters.length === 2;
    case "publish":
      return parameters.join(" ") === "--provenance --access=public";
    case "exec":
      return parameters[0] === "--call";
    default:
      return false;
  }
}

/** The commands of a shell script: in its lines, conditions and substitutions. */
function commandsOf(script: string): readonly string[] {
  const substituted = [...script.matchAll(/\$\(((?:[^()']|'[^']*')+)\)/g)].map(([, command = ""]) => command);
  const lines = script
    .split("\n")
    .filter((line) => !/^\s*\w+=\$\(.*\)$/.test(line))
    .flatMap((line) => line.split(/;|&&|\|\|?/))
    .map((line) => line.trim().replace(/^(?:if|then|else|!)\s+/, ""))
    .filter((line) => line !== "" && line !== "fi");
  return [...lines, ...substituted];
}
