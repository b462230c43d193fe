import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { readSettings } from "../../infra/settings.ts";
import { ROOT } from "../support/repository.ts";
import { type Changes, LEAST, LEAST_EXPORTER, settingTexts } from "./program-settings.ts";

describe("the exporter's configuration", () => {
  test("contains the mounted file of each key, and adds keys that have only a secret", () => {
    const exporter = { ...LEAST_EXPORTER, keys: [{ name: "search", owner: { team: "web" } }] };
    expect(textOf({ exporter, keys: { search: "sk-1", billing: "sk-2" }, managementKey: "sk-3" })).toBe(
      `gateway:
  base_url: https://gateway.example/api/v1
keys:
  - name: search
    owner:
      team: web
    api_key_file: /run/secrets/aigateway/keys/search
  - name: billing
    api_key_file: /run/secrets/aigateway/keys/billing
analytics:
  management_key_file: /run/secrets/aigateway/management/management-key
`,
    );
  });

  test("contains the mounted folder if only the cluster knows the keys", () => {
    expect(textOf({ keys: {}, keysSecret: "vault-keys" })).toBe(
      "gateway:\n  base_url: https://gateway.example/api/v1\nkeys_dir: /run/secrets/aigateway/keys\n",
    );
  });

  test("contains each configured key of an existing Secret", () => {
    const exporter = { ...LEAST_EXPORTER, keys: [{ name: "search" }] };
    expect(textOf({ exporter, keys: {}, keysSecret: "vault-keys" })).toContain(
      "keys:\n  - name: search\n    api_key_file: /run/secrets/aigateway/keys/search\n",
    );
  });
});

function textOf(changes: Changes): string | undefined {
  const texts = settingTexts({ ...LEAST, ...changes });
  return readSettings((name) => texts[name]).kubernetes?.config.text;
}

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
