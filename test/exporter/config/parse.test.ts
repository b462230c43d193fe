import { describe, expect, test } from "vitest";
import { stringify, parse } from "yaml";
import { parseConfig, type ParseResult } from "../../../exporter/config/parse.ts";
import { loadText, problemLines } from "../secrets/simulated-files.ts";
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { configFile } from "../../../exporter/config/schema.ts";
import { createAuthority } from "../../support/certificates.ts";

const GOOD = {
  gateway: { base_url: "https://gateway.example/api/v1" },
  keys: [{ name: "billing", api_key_file: "/run/secrets/billing" }],
};

describe("parseConfig", () => {
  test("accepts text and values, and reads neither files nor environment", () => {
    const fromValues = parseConfig(GOOD);
    expect(fromValues).toMatchObject({ ok: true, file: { series_limit: 1_000_000 } });
    expect(parseConfig(stringify(GOOD))).toEqual(fromValues);
  });

  test("finds broken rules between fields as well", () => {
    const twice = { ...GOOD, keys: [...GOOD.keys, ...GOOD.keys] };
    expect(parseConfig(twice)).toEqual({
      ok: false,
      problems: [{ path: "keys[1].name", message: '"billing" is already the name of keys[0]' }],
    });
  });

  test("accepts unknown keys of a budget if keys_dir is set", () => {
    const budgets = [{ name: "a", limit: 1, window: "day", keys: ["chat"] }];
    expect(parseConfig({ ...GOOD, budgets }).ok).toBe(false);
    expect(parseConfig({ ...GOOD, budgets, keys_dir: "/k/more" }).ok).toBe(true);
  });

  test.each([undefined, null, "", 5, [], new Date(0), () => GOOD])("refuses %s entirely", (value) => {
    expect(parseConfig(value).ok).toBe(false);
  });

  test("refuses an attack by nested aliases", () => {
    const levels = ["ab", "bc", "cd", "de", "ef", "fg", "gh"].map((pair) =>
      aliasLevel(pair.charAt(0), pair.charAt(1)),
    );
    const bomb = `a: &a [x, x]\n${levels.join("")}`;
    expect(messages(parseConfig(bomb))).toEqual([
      "its aliases or merge keys (<<) cannot be resolved, or there are too many",
    ]);
  });

  test("treats the names of prototypes as unknown fields", () => {
    const result = parseConfig(`${stringify(GOOD)}__proto__: {a: 1}\nconstructor: 5\n`);
    const paths = result.ok ? [] : result.problems.map(({ path }) => path);
    expect(paths.toSorted()).toEqual(["__proto__", "constructor"]);
  });

  test("survives a list that contains itself", () => {
    expect(messages(parseConfig("gateway: &loop {base_url: *loop}\nkeys: &list [*list]\n"))).toEqual([
      "a mapping is not an https URL of the gateway's API root (http for localhost, or with allow_http)",
      "a list is not a mapping",
    ]);
  });
});

/** A list of aliases of the previous level. */
function aliasLevel(from: string, to: string): string {
  return `${to}: &${to} [${Array(9).fill(`*${from}`).join(", ")}]\n`;
}

function messages(result: ParseResult): string[] {
  return result.ok ? [] : result.problems.map(({ message }) => message);
}

const PLANTED = "sk-or-v1-planted0123456789abcdef";
const GATEWAY = "gateway: {base_url: https://gateway.example/api/v1}\n";
const ENTRY = (fields: string) => `${GATEWAY}keys:\n  - {${fields}}\n`;

describe("no message contains a secret in the wrong place", () => {
  test.each([
    ["as api_key", ENTRY(`name: billing, api_key: ${PLANTED}`)],
    ["as api_key_env", ENTRY(`name: billing, api_key_env: ${PLANTED}`)],
    ["as api_key_file", ENTRY(`name: billing, api_key_file: ${PLANTED}`)],
    ["as a wrong name", ENTRY(`name: "${PLANTED} ", api_key_file: /x`)],
    ["as the keys", `${GATEWAY}keys: ${PLANTED}\n`],
    ["as a field", ENTRY(`name: billing, ${PLANTED}: 1`)],
    ["as a flag", ENTRY(`name: billing, api_key_file: /x, show_label: ${PLANTED}`)],
    ["as the folder of keys", `${GATEWAY}keys_dir: ${PLANTED}\n`],
    ["as the management key", `${GATEWAY}analytics: {management_key: ${PLANTED}}\n`],
    [
      "as a schedule",
      `${GATEWAY}keys_dir: /x\nschedule: {keys: ${PLANTED}, analytics: "${PLANTED} * * * *"}\n`,
    ],
    ["as a number", `gateway: {connections: ${PLANTED}, timeout: ${PLANTED}, max_body: ${PLANTED}}\n`],
    ["in base_url", `gateway: {base_url: "https://x:${PLANTED}@gateway.example"}\n`],
    ["as base_url", `gateway: {base_url: ${PLANTED}}\n`],
    ["as the whole file", PLANTED],
    ["beside a missing bracket", `${GATEWAY}keys: [{name: billing, api_key: ${PLANTED}\n`],
    ["beside a tab", `${GATEWAY}keys:\n\tapi_key: ${PLANTED}\n`],
    ["beside an unknown escape", `${GATEWAY}api_key: "${PLANTED}\\q"\n`],
    ["as an anchor and an alias", `${GATEWAY}api_key: *${PLANTED}\n`],
    ["as a tag", `${GATEWAY}api_key: !${PLANTED} x\n`],
    ["as a repeated field", `${GATEWAY}${PLANTED}: 1\n${PLANTED}: 2\n`],
  ])("%s", async (_place, text) => {
    const lines = await problemLines(text);
    expect(lines).not.toEqual([]);
    expect(lines.join("\n")).not.toMatch(/planted|0123456789/i);
  });

  test("in files and variables without a valid secret", async () => {
    const lines = await problemLines(ENTRY("name: a, api_key_file: /a}\n  - {name: b, api_key_env: B"), {
      files: { "/a": `${PLANTED}\n${PLANTED}\n` },
      env: { B: ` ${PLANTED}` },
    });
    expect(lines).toHaveLength(2);
    expect(lines.join("\n")).not.toContain("planted");
  });

  test("in warnings", async () => {
    const result = await loadText(
      ENTRY("name: a, api_key_file: /k/a}\n  - {name: b, api_key_file: /k/a") + "keys_dir: /d\n",
      {
        files: { "/k/a": PLANTED, [`/d/${PLANTED} `]: PLANTED, "/d/c": `${PLANTED} ${PLANTED}` },
      },
    );
    const warnings = result.ok ? result.warnings : [];
    expect(warnings).toHaveLength(3);
    expect(warnings.join("\n")).not.toContain("planted");
  });
});

const edge = createAuthority();
const text = await readFile(new URL("../../../config.example.yaml", import.meta.url), "utf8");

/** Includes the commented-out parts, which cost money. */
const full = text.replaceAll(/^# (?=probe|  )/gm, "");

describe("config.example.yaml", () => {
  test.each([
    ["unchanged", text, undefined],
    ["with probes", full, { probes: [{ name: "short" }, { name: "support-call" }] }],
  ])("loads %s", async (_, content, probing) => {
    const result = await loadText(content, {
      files: {
        "/run/secrets/billing": "sk-one\n",
        "/run/secrets/management": "sk-two\n",
        "/run/secrets/keys/chat": "sk-three\n",
        "/etc/probes/call.bin": "RIFF",
        "/run/secrets/edge-id": "me-at-the-edge",
        "/etc/edge/ca.pem": edge.cert,
        "/etc/edge/client.crt": edge.cert,
        "/etc/edge/client.key": edge.key,
      },
      env: { SEARCH_KEY: "sk-four", EDGE_SECRET: "sk-five" },
    });
    expect(result).toMatchObject({
      ok: true,
      config: {
        keys: [{ name: "billing" }, { name: "search" }, { name: "chat" }],
        creditValue: { value: 1 },
        probing,
      },
      warnings: [],
    });
  });

  test("shows every field of the schema", () => {
    const shown = new Set(pathsOf("", parse(full)));
    // The other form of each secret is named in a comment.
    const missing = schemaPaths("", configFile).filter((path) => !shown.has(path));
    expect(missing).toEqual(["analytics.management_key_env"]);
  });
});

function pathsOf(path: string, value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => pathsOf(path, item));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const at = path === "" ? name : `${path}.${name}`;
    return [at, ...pathsOf(at, inner)];
  });
}

function schemaPaths(path: string, schema: z.core.$ZodType): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodPrefault)
    return schemaPaths(path, schema.unwrap());
  if (schema instanceof z.ZodArray) return schemaPaths(path, schema.element);
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape).flatMap(([name, inner]) => {
    const at = path === "" ? name : `${path}.${name}`;
    return [at, ...schemaPaths(at, inner)];
  });
}
