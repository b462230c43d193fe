import { LocalWorkspace, PulumiCommand, type Stack } from "@pulumi/pulumi/automation/index.js";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parse, stringify } from "yaml";
import { z } from "zod";
import { program } from "../../../infra/program.ts";
import { ROOT } from "../../support/repository.ts";

/** A stack of the project on the real engine, with everything that it writes in a temporary folder. */
export interface TestStack {
  readonly stack: Stack;
  /** Sets plain settings, as in Pulumi.<stack>.yaml. */
  configure(settings: Readonly<Record<string, unknown>>): Promise<void>;
  /** Everything that the engine wrote: the state with its history, the configuration, and its home. */
  written(): string;
  remove(): void;
}

/** `pulumi` and the plugins must be in one folder. */
export async function createStack(pulumi: string, stackName = "test"): Promise<TestStack> {
  const directory = mkdtempSync(join(tmpdir(), "pulumi-test-"));
  const folder = (name: string): string => {
    const path = join(directory, name);
    mkdirSync(path);
    return path;
  };
  const [home, state, workDir] = [folder("home"), folder("state"), folder("project")];
  writeFileSync(join(workDir, "Pulumi.yaml"), projectText());
  // The Automation API looks for the command on PATH.
  process.env["PATH"] = `${dirname(pulumi)}:${process.env["PATH"]}`;
  const stack = await LocalWorkspace.createOrSelectStack(
    { projectName: "aigateway-exporter", stackName, program: async () => program() },
    {
      workDir,
      pulumiHome: home,
      pulumiCommand: await PulumiCommand.get({ skipVersionCheck: true }),
      envVars: {
        PULUMI_BACKEND_URL: `file://${state}`,
        PULUMI_CONFIG_PASSPHRASE: "test",
        PULUMI_SKIP_UPDATE_CHECK: "true",
        PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
        PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS: "true",
        NO_COLOR: "1",
      },
    },
  );
  return {
    stack,
    configure: async (settings) => {
      const file = join(workDir, `Pulumi.${stackName}.yaml`);
      const current = stackFile.parse(parse(readFileSync(file, "utf8")));
      const changes = Object.entries(settings).map(([name, value]) => [`aigateway-exporter:${name}`, value]);
      writeFileSync(
        file,
        stringify({ ...current, config: { ...current.config, ...Object.fromEntries(changes) } }),
      );
      await stack.getAllConfig();
    },
    written: () =>
      readdirSync(directory, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
        .join("\n"),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

const stackFile = z.looseObject({ config: z.record(z.string(), z.unknown()).default({}) });

/** The project's own file, without its main, because the test runs the program. */
function projectText(): string {
  const { main: _main, ...project } = z
    .looseObject({ main: z.string() })
    .parse(parse(readFileSync(join(ROOT, "Pulumi.yaml"), "utf8")));
  return stringify(project);
}
