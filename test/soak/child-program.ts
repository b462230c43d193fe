import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

/** A program of the soak in its own process. It does not outlive this one. */
export interface ChildProgram {
  onMessage(take: (message: unknown) => void): void;
  /** Does nothing once the program has ended. */
  send(message: object): void;
  /** Undefined while it runs. */
  readonly end: () => string | undefined;
  stop(): Promise<void>;
}

export function startProgram(path: string, order: object): ChildProgram {
  const child = fork(path, [JSON.stringify(order)], {
    execArgv: [],
    // Ctrl-C is for the soak, which then ends this process in order.
    detached: true,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  return {
    onMessage: (take) => void child.on("message", take),
    send: (message) => void (child.connected && child.send(message)),
    end: () => endOf(child),
    stop: async () => {
      process.off("exit", kill);
      if (endOf(child) !== undefined) return;
      const ended = once(child, "exit");
      kill();
      await ended;
    },
  };
}

export function endOf({ exitCode, signalCode }: ChildProcess): string | undefined {
  if (signalCode !== null) return `signal ${signalCode}`;
  return exitCode === null ? undefined : `exit code ${exitCode}`;
}
