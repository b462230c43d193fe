import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch, type Program } from "./child.ts";

/** The folder into which `.ci/image` has built the image; undefined if it has not. */
export const imageFolder = process.env["E2E_IMAGE"] || undefined;

/** A container of the image, without rights and with a read-only root. */
export interface Container extends Program {
  /** The lines of `/proc/PID/status` by name, of the container's first process. */
  status(): ReadonlyMap<string, string>;
}

/** Runs the image with podman. The folder is mounted read-only at `/etc/aigateway-exporter`. */
export function runContainer(folder: string, mounted: string, parameters: readonly string[]): Container {
  const directory = mkdtempSync(join(tmpdir(), "container-"));
  const pidFile = join(directory, "pid");
  const line = [
    ...storageOf(folder),
    ...OPTIONS.split(" "),
    "--pidfile",
    pidFile,
    "--volume",
    `${mounted}:/etc/aigateway-exporter:ro`,
    IMAGE,
    ...parameters,
  ];
  // crun refuses a mixture of cgroup versions, so the second one is unmounted in a separate mount namespace.
  const hidden = 'umount /sys/fs/cgroup/unified 2>/dev/null; exec podman "$@"';
  const program = launch("unshare", ["--mount", "bash", "-c", hidden, "podman", ...line], {
    environment: process.env,
  });
  void program.ended.then(() => rmSync(directory, { recursive: true, force: true }));
  return {
    ...program,
    status: () => {
      const text = readFileSync(join("/proc", readFileSync(pidFile, "utf8").trim(), "status"), "utf8");
      return new Map(
        [...text.matchAll(/^(\w+):\s*(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]),
      );
    },
  };
}

/** The image's configuration: its labels, its user and so on. */
export function inspectImage(folder: string): unknown {
  const { stdout } = spawnSync("podman", [...storageOf(folder), "image", "inspect", IMAGE], {
    encoding: "utf8",
  });
  return JSON.parse(stdout);
}

/** Runs a function over the file system of the image. */
export function withImageFiles<Result>(folder: string, look: (root: string) => Result): Result {
  const podman = (...parameters: readonly string[]) =>
    spawnSync("podman", [...storageOf(folder), "image", ...parameters, IMAGE], { encoding: "utf8" });
  const { stdout, stderr } = podman("mount");
  if (stdout === "") throw new Error(`Cannot mount the image: ${stderr}`);
  try {
    return look(stdout.trim());
  } finally {
    podman("unmount");
  }
}

/** Root may lack the right to raise the limits to podman's default, so they are given. */
const OPTIONS =
  "--cgroup-manager cgroupfs --events-backend file --runtime crun run --rm --pull=never --network=host --cgroups=disabled " +
  "--read-only --read-only-tmpfs=false --cap-drop=ALL --security-opt=no-new-privileges " +
  "--ulimit nofile=20000:20000 --ulimit nproc=20000:20000";

const IMAGE = "localhost/aigateway-exporter:ci";

function storageOf(folder: string): readonly string[] {
  const driver = process.env["STORAGE_DRIVER"] || "overlay";
  return ["--root", join(folder, "storage"), "--runroot", join(folder, "run"), "--storage-driver", driver];
}
