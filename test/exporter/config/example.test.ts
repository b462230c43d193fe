import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { configFile } from "../../../exporter/config/schema.ts";
import { createAuthority } from "../../support/certificates.ts";
import { loadText } from "../secrets/simulated-files.ts";

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
