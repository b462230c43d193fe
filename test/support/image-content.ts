import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { ROOT } from "./repository.ts";

/** What the Dockerfile says, as far as the tests look at it. */
export interface ImageRecipe {
  /** The files and folders of the repository that the image has. */
  readonly copied: readonly string[];
  /** The parameters of the npm command that installs the dependencies. */
  readonly install: readonly string[];
  /** The image that the last stage begins with. */
  readonly base: string;
  readonly node: string;
  /** Below `/app`. */
  readonly entry: string;
}

export function imageRecipe(): ImageRecipe {
  const dockerfile = readFileSync(join(ROOT, "Dockerfile"), "utf8");
  const [node = "", entry = ""] = instruction(dockerfile, /^ENTRYPOINT \["(.+)", "\/app\/(.+)"\]$/m);
  const [install = ""] = instruction(dockerfile, /^RUN npm (.+)$/m);
  return {
    copied: [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = ""]) =>
      paths.split(" "),
    ),
    install: install.split(" "),
    base: [...dockerfile.matchAll(/^FROM (\S+)$/gm)].at(-1)?.[1] ?? "",
    node,
    entry,
  };
}

/** Makes the image's `/app` in a folder, as the Dockerfile says. */
export function makeImageContent(app: string): void {
  const { copied, install } = imageRecipe();
  mkdirSync(app, { recursive: true });
  for (const path of copied) cpSync(join(ROOT, path), join(app, path), { recursive: true });
  // Offline if possible: the packages are those of this repository's lock file, which are in the cache already.
  const { status, stderr } = spawnSync("npm", [...install, "--prefer-offline"], {
    cwd: app,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`Cannot install what the image has: ${stderr}`);
}

function instruction(dockerfile: string, form: RegExp): readonly string[] {
  const match = form.exec(dockerfile);
  if (!match) throw new Error(`Cannot find "${form.source}" in the Dockerfile`);
  return match.slice(1);
}
