import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { z } from "zod";
import { ROOT } from "./repository.ts";

/** Where docs/linux-server.md installs the exporter. */
const DOCUMENTED_PREFIX = "/opt/aigateway-exporter";

export interface InstalledPackage {
  /** In the place of `/opt/aigateway-exporter`. */
  readonly prefix: string;
  /** A text, such as a unit, with this prefix instead of the documented one. */
  readonly here: (text: string) => string;
  /** What `npm pack` says of it. */
  readonly pack: Pack;
}

type Pack = z.infer<typeof packed>[0];

const packed = z.tuple([
  z.object({
    filename: z.string(),
    size: z.number(),
    files: z.array(z.object({ path: z.string(), mode: z.number() })),
  }),
]);

/** Packs the repository, and installs the package into a folder with the command of docs/linux-server.md. */
export function installPackage(folder: string): InstalledPackage {
  npm(ROOT, "run", "--silent", "prepack");
  const printed = npm(ROOT, "pack", "--json", "--ignore-scripts", `--pack-destination=${folder}`);
  const [pack] = packed.parse(JSON.parse(printed));
  const prefix = join(folder, "opt");
  const here = (text: string): string => text.replaceAll(DOCUMENTED_PREFIX, prefix);
  const [, flags = ""] =
    /npm install (.+) aigateway-exporter +# before the first release: \S+$/m.exec(
      readFileSync(join(ROOT, "docs", "linux-server.md"), "utf8"),
    ) ?? [];
  npm(folder, "install", ...here(flags).split(" "), `./${pack.filename}`);
  return { prefix, here, pack };
}

/** Runs npm with the Node of this test and returns what it prints. */
export function npm(cwd: string, ...parameters: readonly string[]): string {
  return execFileSync("npm", parameters, {
    cwd,
    encoding: "utf8",
    env: {
      ...process.env,
      PATH: [dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter),
      // From the cache if possible: it already has the packages of this repository's lock file.
      npm_config_prefer_offline: "true",
      npm_config_audit: "false",
      npm_config_fund: "false",
      npm_config_loglevel: "error",
    },
  });
}
