import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { finished } from "node:stream/promises";
import { promisify } from "node:util";
import { createDataSet, eachValue } from "../data-set.ts";

/** A library in another language that exposes the data set: a program that reads it from a file and prints its port. */
export interface Peer {
  readonly name: string;
  /** The command that serves the file, or the reason why it is unavailable. */
  prepare(directory: string, file: string): Promise<readonly string[] | string>;
}

const FOLDER = import.meta.dirname;
const run = promisify(execFile);

export const PEERS: readonly Peer[] = [
  {
    name: "client_golang",
    prepare: async (directory, file) => {
      const program = join(directory, "go-peer");
      const build = run("go", ["build", "-o", program, "."], { cwd: join(FOLDER, "go") });
      return build.then(
        () => [program, file],
        () => "go is not installed, or cannot build it",
      );
    },
  },
  {
    name: "Python prometheus_client",
    prepare: async (_directory, file) =>
      run("python3", ["-c", "import prometheus_client"]).then(
        () => ["python3", join(FOLDER, "python", "serve.py"), file],
        () => "python3 with prometheus_client is not installed",
      ),
  },
];

/** Lines `family NAME LABEL…` and `row FAMILY VALUE LABELVALUE…`, with tabs between the parts. */
export async function writeDataSet(file: string, series: number): Promise<void> {
  const data = createDataSet(series);
  const stream = createWriteStream(file);
  for (const { name, labels } of data.families) stream.write(`${["family", name, ...labels].join("\t")}\n`);
  eachValue(data, 0, ({ family, labels }, value) => {
    const names = data.families[family]?.labels ?? [];
    stream.write(`${["row", family, value, ...names.map((name) => labels[name])].join("\t")}\n`);
  });
  stream.end();
  await finished(stream);
}

/** Starts the program and waits for its port. */
export async function startPeer(
  command: readonly string[],
): Promise<{ port: number; close(): Promise<void> }> {
  const [program = "", ...parameters] = command;
  const child = spawn(program, parameters, { stdio: ["ignore", "pipe", "inherit"] });
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  const ended = once(child, "exit").then(() => process.off("exit", kill));
  const [line]: unknown[] = await Promise.race([
    once(createInterface(child.stdout), "line"),
    ended.then(() => {
      throw new Error(`Cannot start "${program}": it has exited`);
    }),
  ]);
  return {
    port: Number(line),
    close: async () => {
      kill();
      await ended;
    },
  };
}
