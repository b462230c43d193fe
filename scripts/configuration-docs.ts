import { readFile } from "node:fs/promises";
import { z } from "zod";
import { KEY_NAME } from "../exporter/config/field.ts";
import { configFile } from "../exporter/config/schema.ts";

/** Renders `docs/configuration.md`: a hand-written introduction, then a table for each section of the schema. */
export async function renderConfigurationDocs(): Promise<string> {
  const introduction = await readFile(new URL("configuration-introduction.md", import.meta.url), "utf8");
  return `${introduction.trimEnd()}\n\n## Fields\n${sectionsOf("", configFile).map(renderSection).join("")}`;
}

interface Section {
  /** `keys[].owner`; empty at the top. */
  readonly path: string;
  readonly description: string;
  readonly fields: readonly Field[];
}

interface Field {
  readonly name: string;
  readonly type: string;
  readonly preset: string;
  readonly rule: string;
  readonly description: string;
}

function sectionsOf(path: string, schema: z.ZodObject, description = ""): Section[] {
  const fields: Field[] = [];
  const inner: Section[] = [];
  for (const [name, field] of Object.entries(schema.shape)) {
    const at = path === "" ? name : `${path}.${name}`;
    const facts = factsOf(field);
    const isList = facts.core instanceof z.ZodArray;
    const mapping = facts.core instanceof z.ZodArray ? facts.core.element : facts.core;
    const type = isList ? "list" : facts.field.type;
    if (mapping instanceof z.ZodObject) {
      inner.push(...sectionsOf(isList ? `${at}[]` : at, mapping, facts.field.description));
      if (facts.field.preset !== "") fields.push({ ...facts.field, name, type, description: "see below" });
    } else fields.push({ ...facts.field, name, type });
  }
  return [{ path, description, fields }, ...inner];
}

/**
 * Reads a field's metadata through its wrappers: the description is on the outer schema, the rule and type on
 * the inner ones.
 */
function factsOf(schema: z.core.$ZodType): { core: z.core.$ZodType; field: Omit<Field, "name"> } {
  let core = schema;
  let isRequired = true;
  let preset: unknown;
  let description = descriptionOf(core);
  while (core instanceof z.ZodOptional || core instanceof z.ZodPrefault) {
    if (core instanceof z.ZodPrefault) preset = core.def.defaultValue;
    isRequired = false;
    core = core.unwrap();
    description ||= descriptionOf(core);
  }
  const meta = z.globalRegistry.get(core);
  const type = typeof meta?.["type"] === "string" ? meta["type"] : "mapping";
  const rule = typeof meta?.["rule"] === "string" ? meta["rule"] : "";
  return { core, field: { type, preset: presetText(isRequired, preset), rule, description } };
}

function descriptionOf(schema: z.core.$ZodType): string {
  return z.globalRegistry.get(schema)?.description ?? "";
}

function presetText(isRequired: boolean, preset: unknown): string {
  if (isRequired) return "**required**";
  const isScalar = typeof preset === "string" || typeof preset === "number" || typeof preset === "boolean";
  return isScalar && preset !== "" ? `\`${preset}\`` : "";
}

function renderSection({ path, description, fields }: Section): string {
  const heading = path === "" ? "" : `\n### \`${path}\`\n\n${description}\n`;
  const rows = fields.map(
    ({ name, type, preset, rule, description: meaning }) =>
      `| ${[`\`${name}\``, preset, type === "path" || type === "schedule" || rule === "" ? type : shortened(rule), meaning].map(cell).join(" | ")} |`,
  );
  return `${heading}\n| Field | Default | Value | Meaning |\n|---|---|---|---|\n${rows.join("\n")}\n`;
}

/** Of a name, the introduction has the pattern. */
function shortened(rule: string): string {
  return rule
    .replace(/, such as .*/, "")
    .replace(`matches \`${KEY_NAME.source.slice(1, -1)}\``, "a name")
    .replace(/^an? (?:finite |text of )/, "");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
