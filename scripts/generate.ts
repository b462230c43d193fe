import { writeFile } from "node:fs/promises";
import { generatedFiles } from "./generated-files.ts";

for (const { path, render } of generatedFiles) {
  const text = await render();
  await writeFile(new URL(`../${path}`, import.meta.url), text);
  process.stdout.write(`${path}\n`);
}
