import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { DISK, GENERATIONS, secretOf } from "../books.ts";
import { ended, type Machine, type MachineAttack, rest } from "./machine.ts";

/** Attacks by the files of keys, which are read at each poll. */
export const keyFileAttacks: Readonly<Record<string, MachineAttack>> = {
  "key files are FIFOs": keyFiles(fifo),
  "key files are devices": keyFiles((path, { random }) => {
    const devices = ["/dev/zero", "/dev/random", "/dev/full", "/dev/tty", "/dev/ptmx", "/proc/self/mem"];
    symlinkSync(devices[Math.floor(random() * devices.length)] ?? "/dev/zero", path);
  }),
  "key files of 1 GB": keyFiles((path) => sparse(path, 2 ** 30)),
  "key files that grow while they are read": async (machine) => {
    const paths = replaced(machine, (path) => writeFileSync(path, "x"));
    const piece = Buffer.alloc(2 ** 18, "x");
    for (let count = 0; !machine.signal.aborted; count++) {
      for (const path of paths) appendFileSync(path, piece);
      if (count % 40 === 39) replaced(machine, (path) => writeFileSync(path, "x"));
      await rest(machine, 50);
    }
  },
  "key files vanish": keyFiles(() => {}),
  "key files are dangling links": keyFiles((path) => symlinkSync("nowhere", path)),
  "key files are links to themselves": keyFiles((path) => symlinkSync(path, path)),
  "key files are folders": keyFiles((path) => mkdirSync(path)),
  "key files cannot be read": keyFiles((path) => {
    writeFileSync(path, "x");
    chmodSync(path, 0);
  }),
  "key files are sockets": async (machine) => {
    const servers = replaced(machine, () => {}).map((path) => createServer().listen(path));
    for (const server of servers) server.on("error", () => {});
    await ended(machine);
    for (const server of servers) server.close();
  },
  "key files hold anything": keyFiles((path, { random }) => {
    const texts = [
      "",
      "\n",
      `${secretOf("disk-00")}\n${secretOf("disk-01")}`,
      "\u0000\u0001",
      " x",
      "x".repeat(5000),
      "é",
      "x\r\nhost: y",
    ];
    writeFileSync(path, texts[Math.floor(random() * texts.length)] ?? "");
  }),
  "key files change all the time": async (machine) => {
    for (let turn = 1; !machine.signal.aborted; turn++) {
      for (const name of DISK) {
        const path = join(machine.setting.keysDirectory, name);
        if (turn % 3 === 0) writeFileSync(path, secretOf(name, turn % GENERATIONS).slice(0, 30));
        else machine.setting.put(path, secretOf(name, turn % GENERATIONS));
      }
      machine.struck("change");
      await rest(machine, 200);
    }
  },
};

/** Attacks by the recording of a probe. */
export const audioAttacks: Readonly<Record<string, MachineAttack>> = {
  "a recording that is a FIFO": audio(fifo),
  "a recording that is a device": audio((path) => symlinkSync("/dev/zero", path)),
  "a recording of 1 GB": audio((path) => sparse(path, 2 ** 30)),
};

/** Attacks by the files of a reload. */
export const reloadFileAttacks: Readonly<Record<string, MachineAttack>> = {
  "half a configuration and SIGHUP": configuration((path, { setting, random }) =>
    writeFileSync(path, setting.configText.slice(0, random() * setting.configText.length)),
  ),
  "a configuration that is a FIFO and SIGHUP": configuration(fifo),
  "a configuration that is a device and SIGHUP": configuration((path) => symlinkSync("/dev/zero", path)),
  "a configuration of 1 GB and SIGHUP": configuration((path) => sparse(path, 2 ** 30)),
  "a configuration of nested aliases and SIGHUP": configuration((path) => {
    const lines = Array.from(
      { length: 30 },
      (_, level) => `a${level + 1}: &a${level + 1} [${`*a${level},`.repeat(9)}]`,
    );
    writeFileSync(path, ["a0: &a0 x", ...lines].join("\n"));
  }),
  "a configuration nested 10,000 deep and SIGHUP": configuration((path) =>
    writeFileSync(path, "[".repeat(10_000)),
  ),
  // The first number is below the bound of what is read.
  "a configuration of 52,000 or 200,000 problems and SIGHUP": configuration((path, { random }) =>
    writeFileSync(path, `keys: [${"{name: X, nonsense: 1},".repeat(random() < 0.5 ? 26_000 : 100_000)}]`),
  ),
  "a configuration of 4 MB of line ends and SIGHUP": configuration((path) =>
    writeFileSync(path, "\n".repeat(4_000_000)),
  ),
  "a configuration of brackets that close nothing and SIGHUP": configuration((path) =>
    writeFileSync(path, `a: ${"}".repeat(490_000)}`),
  ),
  "a configuration of 6,000 aliases of a large mapping and SIGHUP": configuration((path) => {
    const fields = Array.from({ length: 5000 }, (_, index) => `f${index}: 1`);
    writeFileSync(path, `b: &b {${fields.join()}}\nkeys: [${"*b,".repeat(5900)}]`);
  }),
  "a configuration of one text of 4 MB and SIGHUP": configuration((path) =>
    writeFileSync(path, `keys: ${"x".repeat(4_000_000)}`),
  ),
  "a configuration that is a folder and SIGHUP": configuration((path) => mkdirSync(path)),
  "a folder of keys that vanishes and SIGHUP": async (machine) => {
    const { setting, exporter } = machine;
    const away = `${setting.keysDirectory}.away`;
    while (!machine.signal.aborted) {
      renameSync(setting.keysDirectory, away);
      exporter().signal("SIGHUP");
      await rest(machine, 300);
      renameSync(away, setting.keysDirectory);
      exporter().signal("SIGHUP");
      machine.struck("reload");
      await rest(machine, 700);
    }
  },
  "5,000 files of no key and SIGHUP": async (machine) => {
    const { setting, exporter } = machine;
    for (let index = 0; index < 5000; index++)
      writeFileSync(join(setting.keysDirectory, `No Key ${index}`), "x");
    while (!machine.signal.aborted) {
      exporter().signal("SIGHUP");
      machine.struck("reload");
      await rest(machine, 1000);
    }
  },
  "a web configuration that is a FIFO": webConfiguration(fifo),
  "a web configuration of 1 GB": webConfiguration((path) => sparse(path, 2 ** 30)),
};

type Make = (path: string, machine: Machine) => void;

function keyFiles(make: Make): MachineAttack {
  return async (machine) => {
    replaced(machine, make);
    await ended(machine);
  };
}

/** Replaces the files of the keys, and returns their paths. */
function replaced(machine: Machine, make: Make): readonly string[] {
  const paths = DISK.map((name) => join(machine.setting.keysDirectory, name));
  for (const path of paths) {
    rmSync(path, { recursive: true, force: true });
    make(path, machine);
    machine.struck("file");
  }
  return paths;
}

/** Replaces the configuration, and reloads once a second. */
function configuration(make: Make): MachineAttack {
  return async (machine) => {
    const { configFile } = machine.setting;
    while (!machine.signal.aborted) {
      rmSync(configFile, { recursive: true, force: true });
      make(configFile, machine);
      machine.exporter().signal("SIGHUP");
      machine.struck("reload");
      await rest(machine, 1000);
    }
  };
}

function webConfiguration(make: Make): MachineAttack {
  return oneFile(({ webConfigFile }) => webConfigFile, make);
}

function audio(make: Make): MachineAttack {
  return oneFile(({ audioFile }) => audioFile, make);
}

function oneFile(choose: (setting: Machine["setting"]) => string, make: Make): MachineAttack {
  return async (machine) => {
    const path = choose(machine.setting);
    rmSync(path, { force: true });
    make(path, machine);
    machine.struck("file");
    await ended(machine);
  };
}

function fifo(path: string): void {
  spawnSync("mkfifo", [path]);
  chmodSync(path, 0o644);
}

function sparse(path: string, bytes: number): void {
  const file = openSync(path, "w");
  ftruncateSync(file, bytes);
  closeSync(file);
}
