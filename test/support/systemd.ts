import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { installPackage } from "./installed-package.ts";
import { until } from "./until.ts";

/** The unit of the repository. */
export const UNIT = "aigateway-exporter.service";

/**
 * A real systemd as process 1 of its own namespaces, over a copy of this machine's files, with the exporter
 * as docs/linux-server.md installs it.
 */
export interface Systemd {
  /** Runs `systemctl` and returns its exit code and output. */
  systemctl(...parameters: readonly string[]): {
    readonly status: number | null;
    readonly stdout: string;
    readonly stderr: string;
  };
  /** Runs a shell command with systemd's view of files and processes, and returns its output. */
  shell(command: string): string;
  /** What the service has written. */
  readonly log: () => string;
  stop(): void;
}

/** The requirement for a systemd of its own that this machine lacks; undefined if it lacks none. */
export function missingSystemd(): string | undefined {
  const trial =
    'mount -t tmpfs tmpfs "$0" && mkdir "$0/c" && mount -t cgroup -o none,name=systemd cgroup "$0/c"';
  const { status } = spawnSync("unshare", [...NAMESPACES, "bash", "-c", trial, tmpdir()]);
  if (status === 0 && existsSync(SYSTEMD)) return undefined;
  return "root's right to mount cgroups in its own namespaces, and systemd";
}

/** Boots systemd and starts the unit, if it is not empty. `etc` has the files of `/etc/aigateway-exporter` by path. */
export async function startSystemd(unit: string, etc: Readonly<Record<string, string>>): Promise<Systemd> {
  const folder = mkdtempSync(join(tmpdir(), "systemd-test-"));
  const write = (path: string, text: string, mode = 0o644): void => {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text, { mode });
  };
  const { prefix } = installPackage(folder);
  for (const [path, text] of Object.entries(etc))
    write(`etc/${path}`, text, path === "config.yaml" ? 0o644 : 0o600);
  for (const name of ["sysinit", "basic", "shutdown", "network-online"])
    write(`units/${name}.target`, "[Unit]\nDefaultDependencies=no\n");
  mkdirSync(join(folder, "etc"), { recursive: true });
  if (unit !== "") write(`units/${UNIT}`, unit);
  write("units/multi-user.target", `[Unit]\n${unit === "" ? "" : `Wants=${UNIT}\n`}`);
  write("log", "");
  const child = spawn("setpriv", [
    "--pdeathsig=KILL",
    "unshare",
    ...NAMESPACES,
    "bash",
    "-c",
    BOOT,
    folder,
    process.execPath,
    prefix,
    SYSTEMD,
  ]);
  let noise = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (noise += text));
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  const enter = (...line: readonly string[]) => {
    const [pid = ""] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").split(" ");
    const { status, stdout, stderr } = spawnSync("nsenter", ["-t", pid, "-m", "-p", ...line], {
      encoding: "utf8",
    });
    return { status, stdout, stderr };
  };
  const systemd: Systemd = {
    systemctl: (...parameters) => enter("systemctl", ...parameters),
    shell: (command) => enter("sh", "-c", command).stdout,
    log: () => readFileSync(join(folder, "log"), "utf8") + readFileSync(join(folder, "console"), "utf8"),
    stop: () => {
      kill();
      process.off("exit", kill);
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await until(
    "systemd",
    () => (child.exitCode === null ? systemd.systemctl("is-active", "multi-user.target").stdout : noise),
    (text) => text.startsWith("active") || child.exitCode !== null,
  );
  if (child.exitCode !== null) throw new Error(`Cannot start systemd: ${noise}`);
  return systemd;
}

const SYSTEMD = "/lib/systemd/systemd";
/** They end with the process that starts them: setpriv makes the kernel kill unshare. */
const NAMESPACES = [
  "--mount",
  "--pid",
  "--ipc",
  "--uts",
  "--cgroup",
  "--fork",
  "--kill-child=SIGKILL",
] as const;

/** Parameters: the folder, Node, the installed package and systemd. No unit of this machine is visible, and every file is a copy. */
const BOOT = `set -e
exec >&2
root=$0/root; mkdir "$root" "$0/top"; mount -t tmpfs tmpfs "$0/top"; mkdir "$0/top/upper" "$0/top/work"
mount -t overlay overlay -o "lowerdir=/,upperdir=$0/top/upper,workdir=$0/top/work" "$root"
mount -t proc proc "$root/proc"; mount --rbind /sys "$root/sys"
for name in run tmp dev lib/systemd/system lib/systemd/system-generators etc/systemd/system sys/fs/cgroup; do mount -t tmpfs -o mode=755 tmpfs "$root/$name"; done
for name in null zero full random urandom tty ptmx; do touch "$root/dev/$name"; mount --bind "/dev/$name" "$root/dev/$name"; done
mkdir "$root/dev/shm" "$root/dev/pts" "$root/sys/fs/cgroup/systemd"; mount -t tmpfs tmpfs "$root/dev/shm"
mount -t cgroup -o none,name=systemd cgroup "$root/sys/fs/cgroup/systemd"
touch "$0/console" "$root/dev/console"; mount --bind "$0/console" "$root/dev/console"
cp "$0"/units/* "$root/lib/systemd/system"
rm -f "$root/usr/bin/node"; touch "$root/usr/bin/node" "$root/run/exporter.log"
mount --bind "$1" "$root/usr/bin/node"; mount --bind "$0/log" "$root/run/exporter.log"
mkdir -p "$root/opt/aigateway-exporter" "$root/etc/aigateway-exporter"
mount --bind "$2" "$root/opt/aigateway-exporter"; mount --bind "$0/etc" "$root/etc/aigateway-exporter"
mkdir "$root/run/old"; cd "$root"; pivot_root . run/old; umount --lazy /run/old; mount --make-rshared /
exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin "$3" --system --unit=multi-user.target --log-target=console --show-status=no`;
