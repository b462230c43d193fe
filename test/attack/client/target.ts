import { connect, type Socket } from "node:net";
import { INTRUDER } from "../books.ts";

/** The exporter as a hostile client sees it. */
export interface Target {
  readonly host: string;
  readonly port: number;
  readonly random: () => number;
  /** Aborted when the attack ends; every socket is then closed. */
  readonly signal: AbortSignal;
  /** Counts what came of a strike: a status, or how the connection ended. */
  readonly struck: (seen: string) => void;
}

export type ClientAttack = (target: Target) => Promise<void>;

/** The header of a login that is right. */
export const LOGIN_HEADER = basic(INTRUDER.user, INTRUDER.password);

export function basic(user: string, password: string): string {
  return `authorization: Basic ${Buffer.from(`${user}:${password}`).toString("base64")}\r\n`;
}

/** Opens a connection that ends with the attack. */
export function open({ host, port, signal }: Target): Socket {
  const socket = connect({ host, port });
  const close = (): void => void socket.destroy();
  socket.on("error", () => {}).on("close", () => signal.removeEventListener("abort", close));
  if (signal.aborted) close();
  signal.addEventListener("abort", close);
  return socket;
}

/** Sends bytes on a new connection and returns the first status line, or `closed`. */
export function strike(target: Target, bytes: string | Uint8Array, patienceMs = 3000): Promise<string> {
  return new Promise((resolve) => {
    const socket = open(target);
    const end = (seen: string): void => {
      clearTimeout(timer);
      socket.destroy();
      if (!target.signal.aborted) target.struck(seen);
      resolve(seen);
    };
    const timer = setTimeout(() => end("no answer"), patienceMs);
    socket.on("data", (chunk: Buffer) =>
      end(/^HTTP\/1\.\d (\d+)/.exec(chunk.toString("latin1"))?.[1] ?? "no HTTP"),
    );
    socket.on("close", () => end("closed"));
    socket.write(bytes);
  });
}

/** Repeats an action in some loops at once until the attack ends. */
export async function loops(target: Target, count: number, act: () => Promise<unknown>): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, async () => {
      while (!target.signal.aborted) {
        await act();
        await rest(1);
      }
    }),
  );
}

export function rest(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** Waits until the attack ends. */
export function ended({ signal }: Target): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve());
  });
}
