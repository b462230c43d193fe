import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import packageJson from "../../package.json" with { type: "json" };
import { bundle } from "./bundle.ts";
import { writeDeclarations } from "./declarations.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const BUILD = join(ROOT, "build");

/** What the command starts, and the threads that it begins. */
const PROGRAMS = ["exporter/main.ts", "exporter/http/bcrypt-worker.ts", "test/simulate.ts"];

/** What other programs may import from the package, by name (`exports` in package.json). */
const PUBLIC = {
  families: "dashboards/families.ts",
  rules: "dashboards/rules/index.ts",
  "rules-file": "dashboards/rules/file.ts",
};

/** Files that the programs read. */
const FILES = [
  "exporter/probes/sample/sample.mp3",
  "exporter/probes/sample/sample.txt",
  ...shippedDashboards(),
];

// Writes the npm package's code to `build/`. `npm pack` runs it.
rmSync(BUILD, { recursive: true, force: true });
const programs = Object.fromEntries(PROGRAMS.map((path) => [basename(path, ".ts"), path]));
await bundle(ROOT, { ...programs, ...PUBLIC }, BUILD);
writeDeclarations(ROOT, Object.values(PUBLIC), BUILD);
for (const path of FILES) copy(path);
const command = join(ROOT, packageJson.bin["aigateway-exporter"]);
cpSync(join(import.meta.dirname, "launcher.cjs"), command);
chmodSync(command, 0o755);

function shippedDashboards(): readonly string[] {
  const folder = "dashboards/generated";
  const names = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith(".json"));
  return names.map((name) => `${folder}/${name}`);
}

/** Copies a file to the same path in the package, JSON without blanks. */
function copy(path: string): void {
  const [from, to] = [join(ROOT, path), join(BUILD, path)];
  mkdirSync(dirname(to), { recursive: true });
  if (path.endsWith(".json")) writeFileSync(to, JSON.stringify(JSON.parse(readFileSync(from, "utf8"))));
  else cpSync(from, to);
}
