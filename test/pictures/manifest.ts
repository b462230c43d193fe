import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { z } from "zod";

import type { dashboards } from "../../dashboards/index.ts";
import { readDashboard } from "../dashboards/dashboard-json.ts";
import { ROOT } from "../support/repository.ts";

/** The file that names what each picture of a dashboard was drawn from. `npm run pictures` writes it. */
export const MANIFEST = join(ROOT, "docs", "pictures", "drawn-from.json");

/** Digests by dashboard. */
export type Manifest = Readonly<Record<string, string>>;

export function readManifest(): Manifest {
  if (!existsSync(MANIFEST)) return {};
  return z.record(z.string(), z.string()).parse(JSON.parse(readFileSync(MANIFEST, "utf8")));
}

/**
 * Digests of everything that a picture shows of its dashboard: titles, places, queries, units, colours; not
 * the descriptions and the texts of empty panels.
 */
export function drawnFrom(drawn: typeof dashboards): Manifest {
  return Object.fromEntries(
    drawn.map(({ uid, json }) => {
      const { title, panels, templating } = readDashboard(json);
      const shown = panels.map(({ description: _description, fieldConfig, ...panel }) => {
        const { noValue: _noValue, ...defaults } = fieldConfig?.defaults ?? {};
        return { ...panel, defaults, overrides: fieldConfig?.overrides };
      });
      const text = JSON.stringify({ title, shown, variables: templating.list.map(({ label }) => label) });
      return [uid, createHash("sha256").update(text).digest("hex").slice(0, 16)];
    }),
  );
}
