import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

import { z } from "zod";

import { ROOT } from "../support/repository.ts";

const run = promisify(execFile);
const FOLDER = join(ROOT, "preview");

/**
 * Reports whether the package that draws dashboards is installed. It takes about 450 MB and is not part of `npm ci`.
 */
export function isPreviewInstalled(): boolean {
  return existsSync(join(FOLDER, "node_modules", "@grafana", "ui"));
}

/** Installs the package if it is missing, and builds the page. */
export async function preparePreview(onProgress: (text: string) => void): Promise<void> {
  if (!isPreviewInstalled()) {
    onProgress("Installing the package that draws dashboards into preview/ (450 MB, about a minute, once)");
    await run("npm", ["ci", "--no-audit", "--no-fund"], { cwd: FOLDER, maxBuffer: 16 << 20 });
  }
  await run(process.execPath, ["bundle.mjs"], { cwd: FOLDER });
}

export interface Look {
  readonly url: string;
  /** The file to save the picture to; without it, the dashboard is only checked. */
  readonly picture?: string;
  /** Of the window, in pixels. */
  readonly width?: number;
  /** Of the picture, in pixels; without it, the picture shows the whole page. */
  readonly height?: number;
}

const seen = z.object({
  panels: z.array(
    z.object({
      name: z.string(),
      state: z.enum(["drawn", "empty", "error"]),
      text: z.string(),
    }),
  ),
  errors: z.array(z.string()),
  /** Pale texts, missing landmarks, a page wider than the window. */
  faults: z.array(z.string()),
});

/** What a headless browser shows of a drawn dashboard. */
export type Seen = z.infer<typeof seen>;

/** Opens drawn dashboards in a headless browser, one after the other, and reports the state of their panels. */
export async function look(chromium: string, looks: readonly Look[]): Promise<readonly Seen[]> {
  const { stdout } = await run(process.execPath, ["shoot.mjs", chromium, JSON.stringify(looks)], {
    cwd: FOLDER,
    maxBuffer: 16 << 20,
  });
  return z.array(seen).length(looks.length).parse(JSON.parse(stdout));
}
