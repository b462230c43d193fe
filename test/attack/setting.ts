import { hashSync } from "bcryptjs";
import { spawnSync } from "node:child_process";
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ConfigFileInput } from "../../exporter/config/schema.ts";
import { DISK, HONEST, HOSTILE, INTRUDER, LOGIN, MANAGEMENT_SECRET, secretOf } from "./books.ts";

/** Seconds between two polls of a key. */
export const INTERVAL_S = 5;

/** The files of an attacked exporter, in folders that only the attacker may write. */
export interface Setting {
  readonly directory: string;
  readonly configFile: string;
  readonly webConfigFile: string;
  readonly audioFile: string;
  readonly logPipe: string;
  /** The folder of the keys whose files are attacked. */
  readonly keysDirectory: string;
  readonly configText: string;
  readonly webConfigText: string;
  /** Writes a file completely, then puts it where it belongs. */
  put(path: string, text: string): void;
  /** Everything as it was in the beginning. */
  restore(): void;
  remove(): void;
}

export function createSetting(gatewayAddress: string): Setting {
  const directory = mkdtempSync(join(tmpdir(), "attack-"));
  chmodSync(directory, 0o755);
  const [configFile, webConfigFile] = [join(directory, "config.yaml"), join(directory, "web.yaml")];
  const [keysDirectory, logPipe] = [join(directory, "keys"), join(directory, "log")];
  const [secrets, audioFile] = [join(directory, "secrets"), join(directory, "audio.wav")];
  const configText = configuration(gatewayAddress);
  const webConfigText = JSON.stringify({
    basic_auth_users: Object.fromEntries(
      [LOGIN, INTRUDER].map(({ user, password }) => [user, hashSync(password, 10)]),
    ),
  });
  const restore = (): void => {
    put(configFile, configText);
    put(webConfigFile, webConfigText);
    put(audioFile, "RIFF");
    rmSync(keysDirectory, { recursive: true, force: true });
    mkdirSync(keysDirectory);
    for (const name of DISK) put(join(keysDirectory, name), secretOf(name));
  };
  mkdirSync(secrets);
  for (const name of [...HONEST, ...HOSTILE]) put(join(secrets, name), secretOf(name));
  put(join(secrets, "management"), MANAGEMENT_SECRET);
  const { status, stderr } = spawnSync("mkfifo", [logPipe], { encoding: "utf8" });
  if (status !== 0) throw new Error(`Cannot make "${logPipe}": ${stderr}`);
  restore();
  return {
    directory,
    configFile,
    webConfigFile,
    audioFile,
    logPipe,
    keysDirectory,
    configText,
    webConfigText,
    put,
    restore,
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** Nobody sees the file missing or incomplete, unless a folder is in its place. */
function put(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true) rmSync(path, { recursive: true });
  renameSync(`${path}.new`, path);
}

function configuration(gatewayAddress: string): string {
  const keys = [...HONEST, ...HOSTILE].map((name, index) => ({
    name,
    api_key_file: `secrets/${name}`,
    owner: { team: index % 2 === 0 ? "payments" : "search" },
    show_label: index % 2 === 0,
  }));
  const config = {
    gateway: {
      base_url: `http://${gatewayAddress}/api/v1`,
      requests_per_minute: 0,
      timeout: "2s",
      deadline: "4s",
      max_pause: "2s",
    },
    keys,
    keys_dir: "keys",
    analytics: { management_key_file: "secrets/management" },
    discovery: {},
    probes: [
      {
        name: "ear",
        key: "honest-00",
        model: "acme/ear",
        audio: "audio.wav",
        expected_text: "Good morning",
        response_format: "verbose_json",
        schedule: `${INTERVAL_S}s`,
        timeout: "2s",
      },
    ],
    probe_spend: { max_cost_per_day: 1_000_000, max_cost_per_probe: 0.01 },
    budgets: [
      { name: "fleet", limit: 1000, window: "month", keys: "all" },
      { name: "chat", limit: 1000, window: "month", app: "Chat" },
    ],
    schedule: { keys: `${INTERVAL_S}s`, analytics: `${INTERVAL_S}s`, discovery: `${INTERVAL_S}s` },
  } satisfies ConfigFileInput;
  return `# ${"A comment, so that half of the file is not a configuration. ".repeat(4)}\n${JSON.stringify(config, undefined, 1)}\n`;
}
