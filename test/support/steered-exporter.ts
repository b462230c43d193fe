import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

import { z } from "zod";

/** An exporter in a process of its own, with a clock that the test moves and that stands still otherwise. */
export interface SteeredExporter {
  readonly url: string;
  /** `127.0.0.1:40123`. */
  readonly address: string;
  /** What the process takes its local time to be. */
  readonly timeZone: string;
  /** Lets its time pass second by second, as fast as the gateway answers. */
  run(epochMs: number): Promise<void>;
  /** Leaps over the time in between, as a suspended machine does. */
  jump(epochMs: number): Promise<void>;
  log(): string;
  stop(): Promise<void>;
}

export interface SteeredExporterOptions {
  readonly configFile: string;
  /** What its clock shows first. */
  readonly start: number;
  /** Secrets, and TZ. */
  readonly environment: Readonly<Record<string, string>>;
}

export async function startSteeredExporter(options: SteeredExporterOptions): Promise<SteeredExporter> {
  const { configFile, start, environment } = options;
  const child = fork(PROGRAM, [configFile, String(start)], {
    env: { ...process.env, ...environment },
    // The test runner's own flags are not meant for it.
    execArgv: [],
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const chunks: string[] = [];
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => chunks.push(chunk));
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  const log = (): string => chunks.join("");
  const { url, timeZone } = Greeting.parse(await message(child, () => true, log));
  let id = 0;
  const command = async (action: "run" | "jump", to: number): Promise<void> => {
    const mine = ++id;
    child.send({ id: mine, action, to });
    await message(child, (answer) => Done.safeParse(answer).data?.id === mine, log);
  };
  return {
    url,
    address: new URL(url).host,
    timeZone,
    run: (to) => command("run", to),
    jump: (to) => command("jump", to),
    log,
    stop: async () => {
      const ended = child.exitCode === null ? once(child, "exit") : Promise.resolve();
      if (child.connected) child.send({ id: ++id, action: "stop", to: 0 });
      await ended;
      process.off("exit", kill);
    },
  };
}

const PROGRAM = join(import.meta.dirname, "steered-exporter-program.ts");

const Greeting = z.object({ url: z.string(), timeZone: z.string() });
const Done = z.object({ id: z.number() });

/** The next message that is wanted; rejects with the process's log when it ends instead. */
function message(
  child: ChildProcess,
  isWanted: (answer: unknown) => boolean,
  log: () => string,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onMessage = (answer: unknown): void => {
      if (isWanted(answer)) finish(() => resolve(answer));
    };
    const onExit = (code: number | null): void =>
      finish(() =>
        reject(new Error(`The exporter has ended with ${code}; it wrote:\n${log().slice(-4000)}`)),
      );
    const finish = (act: () => void): void => {
      child.off("message", onMessage).off("exit", onExit);
      act();
    };
    child.on("message", onMessage).on("exit", onExit);
  });
}
