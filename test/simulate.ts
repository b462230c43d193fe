import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { writeDemoFiles } from "./demo-configuration.ts";
import { createDemoGateway, demoProbes, enliven } from "./demo-gateway.ts";
import { readPort, runCommand, untilSignal } from "./gateway/command.ts";
import { startProblem } from "./gateway/gateway.ts";

const FLAGS = {
  port: { type: "string", default: "8402" },
  dir: { type: "string", default: "aigateway-demo" },
  help: { type: "boolean", default: false },
} as const;

const HELP = `A simulated gateway with two months of history, lively traffic and some trouble, and a configuration of the exporter for it.

Usage: aigateway-exporter simulate [options]
  --port <n>    port on 127.0.0.1, 0 for any free port (${FLAGS.port.default})
  --dir <path>  folder for the configuration and the keys (${FLAGS.dir.default})
  --help        show this help
`;

/** The first line of each configuration that this command writes. It overwrites no other file. */
const MARK = "# Written by aigateway-exporter simulate. It is overwritten at the next start.\n";

process.exitCode = await runCommand({
  help: HELP,
  hint: "See aigateway-exporter simulate --help",
  read,
  run,
});

function read(args: string[]) {
  const { values } = parseArgs({ args, options: FLAGS });
  return { ...values, port: readPort("port", values.port) };
}

async function run({ port, dir }: ReturnType<typeof read>): Promise<number> {
  const stopSignal = untilSignal();
  const gateway = createDemoGateway();
  try {
    const configuration = await configurationFile(dir);
    await gateway.start(port);
    const schedule = { keys: "5s", analytics: "20s" };
    const changes = demoProbes(gateway);
    await writeDemoFiles(gateway, { directory: dir, mark: MARK, schedule, changes });
    process.stdout.write(welcome(gateway.url, configuration));
  } catch (error) {
    process.stderr.write(`${startProblem(error, port)}\n`);
    await gateway.stop();
    return 1;
  }
  const calm = enliven(gateway);
  await stopSignal;
  calm();
  await gateway.stop();
  return 0;
}

/** @throws if the file exists and this command did not write it. */
async function configurationFile(directory: string): Promise<string> {
  const path = join(directory, "config.yaml");
  const text = await readFile(path, "utf8").catch(() => MARK);
  if (!text.startsWith(MARK)) throw new Error(`"${path}" exists already: choose another folder with --dir`);
  return path;
}

function welcome(url: string, configuration: string): string {
  return `A simulated gateway with 17 keys and two months of history listens at ${url}

Start the exporter in another terminal, then open http://127.0.0.1:9853:
  npx aigateway-exporter --config.file=${configuration}

Ctrl-C stops the gateway.
`;
}
