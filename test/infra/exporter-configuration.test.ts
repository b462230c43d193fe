import { describe, expect, test } from "vitest";
import { readSettings } from "../../infra/settings.ts";
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
