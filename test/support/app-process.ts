import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

import { z } from "zod";

import type { ExporterFiles } from "./exporter-files.ts";
import type { FastTime } from "./fast-time.ts";
import { until } from "./until.ts";

/** The exporter in its own process, for tests that stop the process, use its time zone or let Prometheus scrape it. */
export interface AppProcess {
  readonly url: string;
  /** `127.0.0.1:40123`. */
  readonly address: string;
  readonly pid: number;
  /** The local time zone of the process. */
  readonly timeZone: string;
  log(): string;
  stop(): Promise<void>;
}

/** With a manual clock, which the test moves. */
export interface SteeredProcess extends AppProcess {
  /** Advances its clock second by second, as fast as the gateway answers. */
  runTo(epochMs: number): Promise<void>;
  /** Skips the time in between, like a suspended machine. */
  jump(epochMs: number): Promise<void>;
}

type Files = Pick<ExporterFiles, "configFile" | "environment">;

/** Starts an exporter whose clock shows `start` and stops there until the test moves it. */
export async function startSteeredProcess(files: Files, start: number): Promise<SteeredProcess> {
  const { process, command } = await launch(files, { start });
  return { ...process, runTo: (to) => command("runTo", to), jump: (to) => command("jump", to) };
}

/**
 * Starts an exporter in fast time and waits until it is ready. Request timeouts follow the machine's clock, but the
 * deadline does not, so it must be long.
 */
export async function startFastProcess(files: Files, time: FastTime): Promise<AppProcess> {
  const { process } = await launch(files, time);
  await until(
    "readiness",
    async () => (await fetch(`${process.url}/-/ready`)).status,
    (status) => status === 200,
  );
  return process;
}

const PROGRAM = join(import.meta.dirname, "app-program.ts");

const Greeting = z.object({ url: z.string(), timeZone: z.string() });
const Done = z.object({ id: z.number() });

interface Launched {
  readonly process: AppProcess;
  readonly command: (action: "runTo" | "jump", to: number) => Promise<void>;
}

async function launch({ configFile, environment }: Files, time: object): Promise<Launched> {
  const child = fork(PROGRAM, [configFile, JSON.stringify(time)], {
    env: { ...process.env, ...environment },
    // The test runner's own flags are not for this program.
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
  const stop = async (): Promise<void> => {
    const ended = child.exitCode === null ? once(child, "exit") : Promise.resolve();
    if (child.connected) child.send({ id: ++id, action: "stop", to: 0 });
    await ended;
    process.off("exit", kill);
  };
  return {
    process: { url, address: new URL(url).host, pid: child.pid ?? 0, timeZone, log, stop },
    command: async (action, to) => {
      const mine = ++id;
      child.send({ id: mine, action, to });
      await message(child, (answer) => Done.safeParse(answer).data?.id === mine, log);
    },
  };
}

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
      finish(() => reject(new Error(`The exporter ended with ${code}; it wrote:\n${log().slice(-4000)}`)));
    const finish = (act: () => void): void => {
      child.off("message", onMessage).off("exit", onExit);
      act();
    };
    child.on("message", onMessage).on("exit", onExit);
  });
}
