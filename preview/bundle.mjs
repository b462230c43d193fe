import { appendFileSync, copyFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

import { build } from "esbuild";

/** Bundles the page into `dist/`. */
const here = import.meta.dirname;
const dist = join(here, "dist");
rmSync(dist, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });
await build({
  entryPoints: [join(here, "page.tsx")],
  outfile: join(dist, "page.js"),
  bundle: true,
  minify: true,
  jsx: "automatic",
  logLevel: "error",
  define: { "process.env.NODE_ENV": '"production"', global: "window" },
  loader: { ".ttf": "empty", ".svg": "dataurl", ".png": "dataurl", ".woff2": "dataurl" },
});
copyFileSync(join(here, "index.html"), join(dist, "index.html"));
// The styles of the components come first, so that the page's own styles override them.
for (const file of ["node_modules/uplot/dist/uPlot.min.css", "page.css"]) {
  appendFileSync(join(dist, "page.css"), readFileSync(join(here, file)));
}
