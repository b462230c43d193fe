import { mkdir, writeFile } from "node:fs/promises";
import { generatedFiles } from "./generated-files.ts";

for (const { path, render } of generatedFiles) {
  const text = await render();
  const url = new URL(`../${path}`, import.meta.url);
  await mkdir(new URL(".", url), { recursive: true });
  await writeFile(url, text);
  process.stdout.write(`${path}\n`);
}
