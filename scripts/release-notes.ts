import { readFileSync } from "node:fs";
import packageJson from "../package.json" with { type: "json" };
import { releaseNotes } from "./changelog.ts";

/**
 * Prints the release notes for a tag (`node scripts/release-notes.ts v1.2.3`), or an error that explains why
 * it cannot be released.
 */
try {
  const changelog = readFileSync(new URL("../CHANGELOG.md", import.meta.url), "utf8");
  process.stdout.write(`${releaseNotes(process.argv[2] ?? "", packageJson.version, changelog)}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
