import { dirname, join, relative } from "node:path";

import { rolldown } from "rolldown";

import packageJson from "../../package.json" with { type: "json" };

/**
 * Writes programs and modules with everything that they import to one folder, as few files without types and
 * comments. Identifiers keep their names, so that a stack trace can be read. `entries`: paths below `root` by
 * the names of the files.
 */
export async function bundle(
  root: string,
  entries: Readonly<Record<string, string>>,
  target: string,
): Promise<void> {
  const build = await rolldown({
    cwd: root,
    input: entries,
    platform: "node",
    external: (name) => !name.startsWith(".") && !name.startsWith("/"),
    plugins: [
      {
        name: "places",
        load: (path) => (path === join(root, "package.json") ? PUBLIC_PACKAGE : undefined),
        transform: (code, path) => withPlaces(code, relative(root, dirname(path))),
      },
    ],
  });
  await build.write({
    dir: target,
    chunkFileNames: "[name].js",
    minify: {
      mangle: { keepNames: { function: true, class: true } },
      compress: true,
      codegen: { removeWhitespace: true },
    },
  });
  await build.close();
}

const { name, version } = packageJson;
/** What the programs may know of the repository's own package. */
const PUBLIC_PACKAGE = { code: JSON.stringify({ name, version }), moduleType: "json" } as const;

/** All code moves to the top of the package; files beside it keep their folders. */
function withPlaces(code: string, folder: string): string {
  return code
    .replaceAll(
      /new URL\((["'`])(\.\.\/[^"'`]*)\1, import\.meta\.url\)/g,
      (_, quote: string, path: string) => `new URL(${quote}./${join(folder, path)}${quote}, import.meta.url)`,
    )
    .replaceAll(/new URL\("\.\/([\w-]+)\.ts", import\.meta\.url\)/g, 'new URL("./$1.js", import.meta.url)');
}
