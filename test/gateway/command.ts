import { messageOf } from "./gateway.ts";

/** A program that runs until Ctrl-C. */
export interface Command<Options extends { readonly help: boolean }> {
  readonly help: string;
  /** What to do after a usage error. */
  readonly hint: string;
  /** @throws if an option is unknown or has a wrong value. */
  readonly read: (parameters: string[]) => Options;
  /** Returns the exit code: 0 stopped, 1 failed. */
  readonly run: (options: Options) => Promise<number>;
}

/** Runs a command with the parameters of this process, and returns the exit code; 2 is a usage error. */
export async function runCommand<Options extends { readonly help: boolean }>({
  help,
  hint,
  read,
  run,
}: Command<Options>): Promise<number> {
  let options: Options;
  try {
    options = read(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n${hint}\n`);
    return 2;
  }
  if (!options.help) return run(options);
  process.stdout.write(help);
  return 0;
}

export function readPort(flag: string, text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new Error(`Cannot use --${flag} "${text}": expected a port from 0 to 65535`);
  return port;
}

export function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}
