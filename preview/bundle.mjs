import { copyFileSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import { build } from "esbuild";

/** Bundles the page into `dist/`. */
const here = import.meta.dirname;
const dist = join(here, "dist");
mkdirSync(dist, { recursive: true });
await build({
  entryPoints: [join(here, "page.tsx")],
  outfile: join(dist, "page.js"),
  bundle: true,
  minify: true,
  jsx: "automatic",
  logLevel: "error",
  define: { "process.env.NODE_ENV": '"production"', global: "window" },
  // The styles of editors that are never shown.
  loader: { ".css": "empty", ".ttf": "empty", ".svg": "dataurl", ".png": "dataurl", ".woff2": "dataurl" },
});
const require = createRequire(import.meta.url);
const uplot = dirname(
  require.resolve("uplot/package.json", { paths: [dirname(require.resolve("@grafana/ui/package.json"))] }),
);
copyFileSync(join(uplot, "dist", "uPlot.min.css"), join(dist, "uplot.css"));
copyFileSync(join(here, "page.css"), join(dist, "page.css"));
copyFileSync(join(here, "index.html"), join(dist, "index.html"));
