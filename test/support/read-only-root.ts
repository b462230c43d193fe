import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { imageRecipe, makeImageContent } from "./image-content.ts";

/** The user of the image. */
export const USER = 65532;

/** A file system with the content of the image and nothing else: Node, its libraries and `/app`. */
export interface ReadOnlyRoot {
  /** Its path outside, where it is writable. */
  readonly directory: string;
  /**
   * Runs the image's Node with it as a read-only root, as the image's user, without capabilities or a way to get any. `/proc` is
   * mounted read-only, as in containers. Signals reach the process.
   */
  run(parameters: readonly string[], environment?: Readonly<Record<string, string>>): ChildProcess;
  /** Every file with its size and the time of its last change. */
  files(): readonly string[];
  remove(): void;
}

/** The requirement for a read-only root that this machine lacks; undefined if it lacks none. */
export function missingRights(): string | undefined {
  if (process.platform !== "linux") return "Linux";
  const { status } = spawnSync("unshare", ["--mount", "setpriv", "--no-new-privs", "true"]);
  return status === 0 ? undefined : 'root\'s right to "unshare --mount", and setpriv (util-linux)';
}

export function createReadOnlyRoot(): ReadOnlyRoot {
  const directory = mkdtempSync(join(tmpdir(), "read-only-test-"));
  const { node } = imageRecipe();
  makeImageContent(join(directory, "app"));
  for (const [from, to] of [[process.execPath, node], ...librariesOf(process.execPath)] as const) {
    mkdirSync(dirname(join(directory, to)), { recursive: true });
    cpSync(realpathSync(from), join(directory, to));
  }
  for (const name of ["proc", "tmp", "etc"]) mkdirSync(join(directory, name));
  chmodSync(directory, 0o755);
  // A failed write must be due to the file system, not to the owner of a file.
  for (const path of ["", ...listOf(directory)]) chownSync(join(directory, path), USER, USER);
  return {
    directory,
    run: (parameters, environment = {}) =>
      spawn("unshare", ["--mount", "sh", "-c", ENTER, "sh", directory, node, ...parameters], {
        env: { PATH: process.env["PATH"] ?? "", NODE_ENV: "production", ...environment },
        stdio: ["ignore", "pipe", "pipe"],
      }),
    files: () =>
      listOf(directory).map((path) => {
        const { size, mtimeMs } = statSync(join(directory, path));
        return `${path} ${size} ${mtimeMs}`;
      }),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** Each program replaces the previous one with exec, so that the started process becomes Node. */
const ENTER = [
  "set -e",
  'root=$1; shift; mount --bind "$root" "$root"',
  'mount -t proc -o ro,nosuid,nodev,noexec proc "$root/proc"',
  'mount -o remount,bind,ro,nosuid,nodev "$root"',
  "exec setpriv --bounding-set=-all,+sys_chroot,+setuid,+setgid --inh-caps=-all --no-new-privs" +
    ` chroot --userspec=${USER}:${USER} --groups= "$root" "$@"`,
].join("\n");

/** The shared libraries of a program, with the loader. */
function librariesOf(program: string): readonly (readonly [string, string])[] {
  const { stdout } = spawnSync("ldd", [program], { encoding: "utf8" });
  return [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, path = ""]) => [path, path] as const);
}

function listOf(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" }).toSorted();
}
