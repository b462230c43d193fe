import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join, relative } from "node:path";

import { ROOT } from "./repository.ts";

/** The parts of the Dockerfile that the tests read. */
export interface ImageRecipe {
  /** The stages in order; the last one becomes the image. */
  readonly stages: readonly Stage[];
  /** The program that the image starts. */
  readonly node: string;
  /** The program's arguments. */
  readonly options: readonly string[];
  /** The environment of the program, without variables of the build. */
  readonly environment: Readonly<Record<string, string>>;
  /** The file that the program runs, below `/app`. */
  readonly entry: string;
}

export interface Stage {
  readonly name: string;
  /** The base image. */
  readonly base: string;
  readonly steps: readonly Step[];
}

export type Step = Copy | { readonly kind: "RUN" | "WORKDIR"; readonly value: string };

/** Paths below the repository, or below `/app` of another stage, and their targets below `/app`. */
export interface Copy {
  readonly kind: "COPY";
  readonly from: string | undefined;
  /** The mode of every copied file, in octal; undefined: as in the source. */
  readonly mode: string | undefined;
  readonly paths: readonly string[];
  readonly to: string;
}

export function imageRecipe(): ImageRecipe {
  const [, ...stages] = readFileSync(join(ROOT, "Dockerfile"), "utf8").split(/^FROM /m);
  const [, start = ""] = /^ENTRYPOINT \["(.+)"\]$/m.exec(stages.at(-1) ?? "") ?? [];
  const [node = "", ...options] = start.split('", "');
  const entry = options.pop();
  if (!entry?.startsWith("/app/")) throw new Error("Cannot find what the image starts");
  const [, variables = ""] = /^ENV (.+)$/m.exec(stages.at(-1) ?? "") ?? [];
  const environment = Object.fromEntries(
    [...variables.matchAll(/(\w+)=([^\s$]+)(?=\s|$)/g)].map(([, name = "", value = ""]) => [name, value]),
  );
  return { stages: stages.map(stageOf), node, options, environment, entry: entry.slice("/app/".length) };
}

/** The parameters that the image passes to Node, for an `/app` in a folder. */
export function imageParameters(app: string): readonly string[] {
  const { options, entry } = imageRecipe();
  return [...options, join(app, entry)];
}

/** Builds the image's `/app` in a folder, following the Dockerfile. */
export function makeImageContent(app: string): void {
  const { stages } = imageRecipe();
  const building = mkdtempSync(join(tmpdir(), "image-build-"));
  try {
    for (const stage of stages) {
      const folder = stage === stages.at(-1) ? app : join(building, stage.name);
      mkdirSync(folder, { recursive: true });
      for (const step of stage.steps) take(step, folder, building);
    }
  } finally {
    rmSync(building, { recursive: true, force: true });
  }
}

/** Makes the image's own JavaScript in a folder, from a folder that holds the repository's code. */
export function writeStripped(app: string, source = ROOT): void {
  const building = mkdtempSync(join(tmpdir(), "image-build-"));
  try {
    const { steps = [] } = imageRecipe().stages.find(({ name }) => name === "javascript") ?? {};
    for (const step of steps) {
      if (step.kind === "COPY" && step.to.startsWith("./source/")) copy(step, building, building, source);
    }
    const script = join(ROOT, "scripts", "strip-types.ts");
    const [from, to] = [join(building, "source"), join(building, "stripped")];
    const parameters = ["--disable-warning=ExperimentalWarning", script, from, to];
    const { status, stderr } = spawnSync(process.execPath, parameters, { encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
    cpSync(to, app, { recursive: true });
  } finally {
    rmSync(building, { recursive: true, force: true });
  }
}

/** Whether .dockerignore, which is a list of what is allowed, lets a build see a file. */
export function isInContext(path: string): boolean {
  const lines = readFileSync(join(ROOT, ".dockerignore"), "utf8").split("\n");
  return lines.some((line) => line.startsWith("!") && patternOf(line.slice(1)).test(path));
}

function patternOf(glob: string): RegExp {
  const pattern = glob.replaceAll(".", "\\.").replaceAll("*", "[^/]*").replaceAll("[^/]*[^/]*/", "(?:.*/)?");
  return new RegExp(`^${pattern}$`);
}

function stageOf(text: string): Stage {
  const [, base = "", name = ""] = /^(?:--platform=\S+ )?(\S+)(?: AS (\S+))?\n/.exec(text) ?? [];
  const steps = [...text.matchAll(/^(COPY|RUN|WORKDIR) (?:--from=(\S+) )?(?:--chmod=(\d+) )?(.+)$/gm)].map(
    ([, kind, from, mode, value = ""]): Step => {
      if (kind !== "COPY") return { kind: kind === "RUN" ? "RUN" : "WORKDIR", value };
      const paths = value.split(" ");
      return { kind, from, mode, paths: paths.slice(0, -1), to: paths.at(-1) ?? "" };
    },
  );
  return { name, base, steps };
}

function take(step: Step, app: string, building: string): void {
  if (step.kind === "COPY") copy(step, app, building);
  else if (step.kind === "RUN") run(step.value, app);
  else if (step.value !== "/app") throw new Error(`Cannot work in "${step.value}", only in /app`);
}

function copy({ from, mode, paths, to }: Copy, app: string, building: string, root = ROOT): void {
  for (const path of paths) {
    const source = from === undefined ? join(root, path) : join(building, from, path.replace("/app/", ""));
    // The content of a folder is copied; a file keeps its name.
    const target = statSync(source).isDirectory() ? join(app, to) : join(app, to, basename(path));
    const filter = (file: string) =>
      from !== undefined || statSync(file).isDirectory() || isInContext(relative(root, file));
    cpSync(source, target, { recursive: true, verbatimSymlinks: true, filter });
    if (mode !== undefined) chmodSync(target, Number.parseInt(mode, 8));
  }
}

function run(command: string, app: string): void {
  const { status, stderr } = spawnSync("sh", ["-c", command], {
    cwd: app,
    encoding: "utf8",
    env: {
      ...process.env,
      PATH: [dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter),
      // From the cache if possible: it already has the packages of this repository's lock file.
      npm_config_prefer_offline: "true",
    },
  });
  if (status !== 0) throw new Error(`Cannot run "${command}" as the Dockerfile does: ${stderr}`);
}
