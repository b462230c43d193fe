import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { readSettings } from "../../infra/settings.ts";
import { ROOT } from "../support/repository.ts";
import { settingTexts } from "./program-settings.ts";

const FOLDER = join(ROOT, "infra", "examples");
const stackFile = z.strictObject({ config: z.record(z.string().regex(/^aigateway-exporter:/), z.unknown()) });

describe("the example stack files", () => {
  test.each(readdirSync(FOLDER))("%s is valid once its secrets are set", (file) => {
    const text = readFileSync(join(FOLDER, file), "utf8");
    const { config } = stackFile.parse(parse(text));
    const written = Object.entries(config).map(([name, value]) => [
      name.replace("aigateway-exporter:", ""),
      value,
    ]);
    const texts = settingTexts({ ...Object.fromEntries(written), ...secretsOf(text) });
    expect(readSettings((name) => texts[name]).kubernetes?.image).toContain("aigateway-exporter:");
  });
});

/** The secrets listed in the last line. */
function secretsOf(text: string): Record<string, unknown> {
  const names = /# secrets: (.+)\n$/.exec(text)?.[1]?.split(", ") ?? [];
  return Object.fromEntries(
    names.map((name) =>
      name.startsWith("keys.") ? ["keys", { [name.slice(5)]: "sk-test" }] : [name, "sk-test"],
    ),
  );
}
