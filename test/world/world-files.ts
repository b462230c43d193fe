import { FileError, type Files } from "../../exporter/secrets/files.ts";
import type { Clock } from "../../exporter/time/clock.ts";
import { ACCOUNT_KEYS, sha256, tokenOf } from "./account-keys.ts";
import { configText } from "./config-text.ts";
import type { FileState, Settings } from "./story.ts";

/** The files of the exporter's machine: the configuration, and one file for each secret. */
export interface WorldFiles {
  readonly files: Files;
  readonly configPath: string;
  /** Changes what the configuration file contains. */
  write(settings: Settings): void;
  /** What is wrong with a secret file from now on; undefined: nothing. */
  setState(file: number, state: FileState | undefined): void;
  /** Puts a new secret of an account into a file. The gateway refuses the former one. */
  rotate(file: number, account: number): void;
  /** The account that a secret belongs to; undefined: the gateway refuses it. */
  accountOf(token: string): number | undefined;
  /** The SHA-256 of a secret, in hexadecimal digits. */
  hashOf(token: string): string;
  /** The key that has a hash, which is that of its valid secret; of the other account if it is foreign. */
  accountOfHash(hash: string, isForeign?: boolean): number | undefined;
  /** The hash by which the gateway lists the key with a number. */
  listedHash(account: number, isForeign?: boolean): string;
  /** Whether a file has held a secret since the given elapsed time. */
  hasHeld(file: number, token: string, sinceMs: number): boolean;
  /** The secrets that a file has held, newest last. */
  tokens(file: number): readonly Held[];
  /** How late a request may be because its secret was read from a file that is slow or hangs, milliseconds. */
  lateMs(): number;
}

export interface Held {
  readonly token: string;
  readonly account: number;
  /** Elapsed milliseconds. */
  readonly from: number;
}

const SLOW_MS = 3000;
/** The exporter gives up a file that takes longer. */
const LATEST_MS = 10_000;

export function createWorldFiles(after: Clock["after"], elapsedMs: () => number): WorldFiles {
  const held = new Map<number, Held[]>();
  const refused = new Set<string>();
  const hashes = new Map<string, string>();
  const states = new Map<number, FileState>();
  const hanging = new Map<number, (() => void)[]>();
  let config = "";
  let wasLate = false;

  function tokens(file: number): Held[] {
    const known = held.get(file) ?? [
      { token: tokenOf(file, 0), account: file, from: Number.NEGATIVE_INFINITY },
    ];
    held.set(file, known);
    return known;
  }

  function accountOf(token: string): number | undefined {
    const account = /^sk-world-(\d+)-\d+$/.exec(token)?.[1];
    return account === undefined || refused.has(token) ? undefined : Number(account);
  }

  function hashOf(token: string): string {
    const hash = hashes.get(token) ?? sha256(token);
    hashes.set(token, hash);
    return hash;
  }

  function foreignHash(account: number): string {
    return hashOf(`foreign ${tokenOf(account, 0)}`);
  }

  /** The exporter's reading of files has a deadline. */
  function untilHealed(file: number): Promise<void> {
    return new Promise((resolve, reject) => {
      hanging.set(file, [...(hanging.get(file) ?? []), resolve]);
      after(LATEST_MS, () => reject(new FileError("could not be read in time")));
    });
  }

  async function readSecret(file: number): Promise<string> {
    const state = states.get(file);
    if (state === "gone") throw Object.assign(new Error("No such file"), { code: "ENOENT" });
    if (state === "empty") return "";
    if (state === "hang") await untilHealed(file);
    if (state === "slow") await new Promise<void>((resolve) => void after(SLOW_MS, resolve));
    return `${tokens(file).at(-1)?.token ?? ""}\n`;
  }

  return {
    files: {
      readFile: async (path) =>
        path === CONFIG_PATH ? config : readSecret(Number(path.replace(SECRET_PATH, ""))),
      readBytes: () => Promise.resolve(new Uint8Array([1, 2, 3])),
      listDirectory: () => Promise.resolve([]),
    },
    configPath: CONFIG_PATH,
    write: (settings) => {
      config = configText(settings);
    },
    lateMs: () => (wasLate ? LATEST_MS : 0),
    setState: (file, state) => {
      wasLate ||= state === "slow" || state === "hang";
      if (state === undefined) states.delete(file);
      else states.set(file, state);
      for (const resolve of hanging.get(file) ?? []) resolve();
      hanging.delete(file);
    },
    rotate: (file, account) => {
      const known = tokens(file);
      refused.add(known.at(-1)?.token ?? "");
      known.push({ token: tokenOf(account, 1 + known.length), account, from: elapsedMs() });
    },
    accountOf,
    hashOf,
    accountOfHash: (hash, isForeign) => {
      if (isForeign === true) return ACCOUNT_KEYS.find((account) => foreignHash(account) === hash);
      const known = [...ACCOUNT_KEYS.map((account) => tokens(account)), ...held.values()].flat();
      const token = known.find((each) => hashOf(each.token) === hash)?.token;
      return token === undefined ? undefined : accountOf(token);
    },
    listedHash: (account, isForeign) => {
      if (isForeign === true) return foreignHash(account);
      const own = tokens(account).findLast((each) => accountOf(each.token) === account);
      return hashOf(own?.token ?? tokenOf(account, 0));
    },
    hasHeld: (file, token, sinceMs) => {
      const known = tokens(file);
      return known.some(
        (each, index) => each.token === token && (known[index + 1]?.from ?? Infinity) >= sinceMs,
      );
    },
    tokens,
  };
}

const CONFIG_PATH = "/world/config.yaml";
const SECRET_PATH = "/world/secrets/f";
