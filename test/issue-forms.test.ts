import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

import { ROOT } from "./support/repository.ts";

const FOLDER = join(ROOT, ".github", "ISSUE_TEMPLATE");
const validations = z.strictObject({ required: z.boolean() }).optional();
const labelled = { label: z.string().min(1), description: z.string().optional() };

/** What GitHub accepts, of the parts that the forms use. It ignores a form that is not valid. */
const form = z.strictObject({
  name: z.string().min(4),
  description: z.string().min(4),
  body: z.array(
    z.discriminatedUnion("type", [
      z.strictObject({ type: z.literal("markdown"), attributes: z.strictObject({ value: z.string() }) }),
      z.strictObject({
        type: z.literal("input"),
        id: z.string(),
        attributes: z.strictObject(labelled),
        validations,
      }),
      z.strictObject({
        type: z.literal("textarea"),
        id: z.string(),
        attributes: z.strictObject({ ...labelled, render: z.string().optional() }),
        validations,
      }),
      z.strictObject({
        type: z.literal("dropdown"),
        id: z.string(),
        attributes: z.strictObject({ ...labelled, options: z.array(z.string()).min(1) }),
        validations,
      }),
    ]),
  ),
});

describe.each(readdirSync(FOLDER))("the issue form %s", (name) => {
  const { body } = form.parse(parse(readFileSync(join(FOLDER, name), "utf8")));
  const questions = body.flatMap((part) => (part.type === "markdown" ? [] : part));

  test("asks each question once, and at least one that needs an answer", () => {
    for (const values of [questions.map(({ id }) => id), questions.map(({ attributes }) => attributes.label)])
      expect(new Set(values).size).toBe(values.length);
    expect(questions.some((question) => question.validations?.required)).toBe(true);
  });

  test("asks for answers without keys", () => {
    const text = readFileSync(join(FOLDER, name), "utf8");
    expect(text).toMatch(/Do not paste keys|without keys/);
  });
});
