import { execFile } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse, stringify } from "yaml";
import { z } from "zod";
import { ROOT } from "../../support/repository.ts";

/** A stack in a copy of the project, with the real command line and with everything that it writes in a temporary folder. */
export interface TestStack {
  /** The folder of the project. */
  readonly project: string;
  /** Runs `pulumi` as people do, in the folder of the project. */
  pulumi(...parameters: readonly string[]): Promise<Run>;
  /** `npm run up -- --yes`, without a preview before it. */
  up(...parameters: readonly string[]): Promise<Run>;
  /** Runs a command of a shell as people do, in the same folder, with this input. */
  shell(command: string, input?: string): Promise<Run>;
  /** Sets plain settings, as in Pulumi.<stack>.yaml; undefined removes one. */
  configure(settings: Readonly<Record<string, unknown>>): void;
  /** By path. */
  setSecrets(values: Readonly<Record<string, string>>): Promise<void>;
  /** Changes the state, as text. */
  editState(edit: (text: string) => string): Promise<void>;
  /** The results of the operations, the last one first. */
  history(): Promise<readonly string[]>;
  /** Everything that the engine wrote: the state with its history, the configuration, and its home. */
  written(): string;
  remove(): void;
}

export interface Run {
  readonly code: number;
  /** What it showed. */
  readonly output: string;
  /** `{ created: 18 }` */
  readonly changes: Readonly<Record<string, number>>;
}

/** `pulumi` and the plugins must be in one folder. */
export async function createStack(
  pulumi: string,
  kubeconfig: string,
  stackName = "test",
): Promise<TestStack> {
  const directory = mkdtempSync(join(tmpdir(), "pulumi-test-"));
  const folder = (name: string): string => {
    const path = join(directory, name);
    mkdirSync(path);
    return path;
  };
  const [home, state, bin, project] = [folder("home"), folder("state"), folder("bin"), folder("project")];
  copyProject(project);
  writeLanguageHost(join(bin, "pulumi-language-nodejs"));
  const env = {
    ...process.env,
    PATH: [join(ROOT, "node_modules", ".bin"), bin, dirname(pulumi), process.env["PATH"]].join(delimiter),
    KUBECONFIG: kubeconfig,
    PULUMI_HOME: home,
    PULUMI_BACKEND_URL: `file://${state}`,
    PULUMI_CONFIG_PASSPHRASE: "test",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS: "true",
    NO_COLOR: "1",
  };
  const run = (command: string, parameters: readonly string[], input = ""): Promise<Run> =>
    new Promise((resolve) => {
      const running = execFile(
        command,
        parameters,
        { cwd: project, env, maxBuffer: 2 ** 26 },
        (error, stdout, stderr) => {
          const output = stdout + stderr;
          resolve({ code: error === null ? 0 : Number(error.code), output, changes: changesOf(output) });
        },
      );
      running.stdin?.on("error", () => {}).end(input);
    });
  const mustRun = async (...parameters: readonly string[]): Promise<string> => {
    const { code, output } = await run("pulumi", parameters);
    if (code !== 0) throw new Error(`Cannot run pulumi ${parameters[0]}: it wrote:\n${output}`);
    return output;
  };
  await mustRun("stack", "init", stackName);
  const file = join(project, `Pulumi.${stackName}.yaml`);
  return {
    project,
    pulumi: (...parameters) => run("pulumi", parameters),
    up: (...parameters) =>
      run("npm", [
        "run",
        "--silent",
        "up",
        "--",
        "--yes",
        "--skip-preview",
        "--non-interactive",
        ...parameters,
      ]),
    shell: (command, input) => run("bash", ["--norc", "-euo", "pipefail", "-c", command], input),
    configure: (settings) => {
      const current = stackFile.parse(existsSync(file) ? parse(readFileSync(file, "utf8")) : {});
      const changes = Object.entries(settings).map(([name, value]) => [`aigateway-exporter:${name}`, value]);
      const config = { ...current.config, ...Object.fromEntries(changes) };
      writeFileSync(file, stringify({ ...current, config }));
    },
    setSecrets: async (values) => {
      const pairs = Object.entries(values).map(([path, value]) => `--secret=${path}=${value}`);
      await mustRun("config", "set-all", "--path", ...pairs);
    },
    editState: async (edit) => {
      const exported = join(directory, "exported.json");
      writeFileSync(exported, edit(await mustRun("stack", "export")));
      await mustRun("stack", "import", "--file", exported);
    },
    history: async () =>
      z
        .array(z.object({ result: z.string() }))
        .parse(JSON.parse(await mustRun("stack", "history", "--json")))
        .map(({ result }) => result),
    written: () => [textsIn(home), textsIn(state), readFileSync(file, "utf8")].join("\n"),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

const stackFile = z.looseObject({ config: z.record(z.string(), z.unknown()).default({}) });

/** The program reads its stack's file beside itself. */
function copyProject(project: string): void {
  for (const name of ["infra", "exporter", "dashboards", "Pulumi.yaml", "package.json"])
    cpSync(join(ROOT, name), join(project, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(project, "node_modules"));
}

function writeLanguageHost(path: string): void {
  const program = fileURLToPath(new URL("language-host.ts", import.meta.url));
  writeFileSync(path, `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
  chmodSync(path, 0o755);
}

function textsIn(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n");
}

/** The lines at the end: `+ 18 created`, `+-1 replaced`, `16 unchanged`. */
function changesOf(output: string): Run["changes"] {
  const summary = output.slice(output.lastIndexOf("\nResources:"));
  const found = summary.matchAll(/(\d+) (created|updated|replaced|deleted|unchanged|to \w+)/g);
  return Object.fromEntries([...found].map(([, count, what]) => [what, Number(count)]));
}
