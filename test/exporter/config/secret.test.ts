import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { rememberSecrets, Secret, withoutSecrets } from "../../../exporter/config/secret.ts";
import { fileSecret } from "../../../exporter/config/secret-source.ts";
import { loadText } from "./simulated-files.ts";

describe("withoutSecrets", () => {
  test.each([
    ["a secret", "Bearer sk-one!", "Bearer [redacted]!"],
    ["a secret that is repeated", "sk-one sk-one", "[redacted] [redacted]"],
    ["a secret that begins with another one", "sk-one-and-more", "[redacted]"],
    ["a remembered text", "a $2b$10$hash b", "a [redacted] b"],
    ["nothing else", "sk-three", "sk-three"],
  ])("removes %s", (_name, text, shown) => {
    const secrets = ["sk-one", "sk-one-and-more"].map((secret) => new Secret(secret));
    const owner = {};
    rememberSecrets(owner, ["$2b$10$hash", ""]);
    expect(withoutSecrets(text)).toBe(shown);
    // Keeps them in use until here.
    expect([...secrets, owner].map(String)).toEqual(["[redacted]", "[redacted]", "[object Object]"]);
  });

  test("removes the latest two secrets of a source and forgets older ones", async () => {
    const rotated = { text: "" };
    const source = fileSecret("/key", { readFile: () => Promise.resolve(rotated.text) });
    for (const text of ["sk-first", "sk-second", "sk-third"]) {
      rotated.text = text;
      expect((await source.read()).reveal()).toBe(text);
    }
    await collectGarbage();
    expect(withoutSecrets("sk-first sk-second sk-third")).toBe("sk-first [redacted] [redacted]");
    expect(source.origin).toBe('file "/key"');
  });

  test("forgets the secrets of a source that is no longer used", async () => {
    await readOnce("sk-gone");
    await collectGarbage();
    expect(withoutSecrets("sk-gone")).toBe("sk-gone");
  });

  test("removes the secrets of a configuration from the start, before any of them is used", async () => {
    const [key, management] = ["k9wq3mzt7rxbd5vhn2cf", "p4jgy8slu6ea1ok0ziwx"];
    const text = `{ gateway: { base_url: "https://gateway.example" }, keys: [{ name: a, api_key_file: a }],
      keys_dir: keys, analytics: { management_key_env: MANAGEMENT } }`;
    const files = { "/etc/aigateway/a": key, "/etc/aigateway/keys/b": key.toUpperCase() };
    const loaded = await loadText(text, { files, env: { MANAGEMENT: management } });
    await collectGarbage();
    expect(withoutSecrets(`${key} ${management}`)).toBe("[redacted] [redacted]");
    expect(loaded).toMatchObject({ ok: true });
  });
});

async function readOnce(text: string): Promise<void> {
  await fileSecret("/gone", { readFile: () => Promise.resolve(text) }).read();
  expect(withoutSecrets(text)).toBe("[redacted]");
}

async function collectGarbage(): Promise<void> {
  setFlagsFromString("--expose-gc");
  // The target of a weak reference lives until the current job ends.
  await setImmediate();
  runInNewContext("gc()");
}
