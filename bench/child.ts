import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A benchmark program in its own process, which answers one request at a time. */
export interface Child {
  readonly pid: number;
  /** What the program reported when it became ready. */
  readonly ready: unknown;
  /** Sends a message and waits for the answer. */
  ask(message: object): Promise<unknown>;
  close(): Promise<void>;
}

export interface ChildOptions {
  readonly parameters?: readonly string[];
  /** `--expose-gc`. */
  readonly nodeOptions?: readonly string[];
  /** Added to the environment of this process. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Starts a program that calls `serveParent`, and waits until it is ready. Discards its standard output. */
export async function startChild(program: URL, options: ChildOptions = {}): Promise<Child> {
  const child = fork(fileURLToPath(program), [...(options.parameters ?? [])], {
    execArgv: [...(options.nodeOptions ?? [])],
    env: { ...process.env, ...options.environment },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  const ended = once(child, "exit").then(() => process.off("exit", kill));
  const died = ended.then(() => {
    throw new Error(`Cannot continue: ${fileURLToPath(program)} has exited`);
  });
  // The rejection matters only while a request is pending.
  died.catch(() => {});
  const answer = async (): Promise<unknown> => {
    const [message]: unknown[] = await Promise.race([once(child, "message"), died]);
    return message;
  };
  const ready = await answer();
  return {
    pid: child.pid ?? 0,
    ready,
    ask: async (message) => {
      const answered = answer();
      child.send(message);
      return answered;
    },
    close: async () => {
      if (child.connected) child.disconnect();
      const timer = setTimeout(kill, PATIENCE_MS);
      await ended.finally(() => clearTimeout(timer));
    },
  };
}

const PATIENCE_MS = 5000;

/** The child's side: reports that it is ready, answers each message of the parent, and exits with the parent. */
export function serveParent(
  ready: object,
  answer: (message: unknown) => Promise<object> | object = () => ({}),
): void {
  process.on("message", (message) => {
    void Promise.resolve(answer(message)).then((result) => process.send?.(result));
  });
  process.once("disconnect", () => process.exit(0));
  process.send?.(ready);
}
