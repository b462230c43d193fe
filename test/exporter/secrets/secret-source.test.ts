import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemFiles } from "../../../exporter/secrets/files.ts";
import { environmentSecret, fileSecret, SecretError } from "../../../exporter/secrets/secret-source.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(`${tmpdir()}/secret-`);
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

async function revealed(path: string): Promise<string> {
  return (await fileSecret(path, systemFiles).read()).reveal();
}

describe("fileSecret", () => {
  test("reads the file again each time: replaced, emptied, removed, restored", async () => {
    const path = `${folder}/billing`;
    const source = fileSecret(path, systemFiles);
    await writeFile(path, "sk-old\n");
    expect((await source.read()).reveal()).toBe("sk-old");
    await writeFile(`${folder}/new`, "sk-new\n");
    await rename(`${folder}/new`, path);
    expect((await source.read()).reveal()).toBe("sk-new");
    await writeFile(path, "");
    await expect(source.read()).rejects.toThrow(`Cannot read a secret: file "${path}" is empty`);
    await rm(path);
    await expect(source.read()).rejects.toThrow(`Cannot read a secret: file "${path}" does not exist`);
    await writeFile(path, "sk-back");
    expect((await source.read()).reveal()).toBe("sk-back");
  });

  test.each([
    ["sk-one\n", "sk-one"],
    ["sk-one\r\n", "sk-one"],
    ["\uFEFFsk-one\n", "sk-one"],
    ['"sk-one"\n', "sk-one"],
    ["AB==", "AB=="],
    ["x".repeat(4096), "x".repeat(4096)],
  ])("accepts %j", async (content, expected) => {
    await writeFile(`${folder}/a`, content);
    expect(await revealed(`${folder}/a`)).toBe(expected);
  });

  const AROUND = "has white space around the secret; only one newline at its end is allowed";
  const FORM = "is not one line of printable ASCII without spaces";
  test.each([
    ["", "is empty"],
    ["\n", "is empty"],
    ["planted\n\n", AROUND],
    ["planted \n", AROUND],
    ["\tplanted", AROUND],
    ["plan ted", FORM],
    ["OPENROUTER_KEY=planted", "contains NAME=value; it must contain the value alone"],
    ["export KEY=planted", "contains NAME=value; it must contain the value alone"],
    ["${OPENROUTER_KEY}", "contains the name of a variable, which nothing has replaced by its value"],
    ["plan\nted", FORM],
    ["plan\u0000ted", FORM],
    ["plänted", FORM],
    [`planted${"x".repeat(4090)}`, "is longer than 4096 characters"],
  ])("refuses %j", async (content, fault) => {
    const path = `${folder}/a`;
    await writeFile(path, content);
    const error = await revealed(path).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(SecretError);
    expect(error).toMatchObject({ fault: `file "${path}" ${fault}` });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/plan|ted"/);
  });
});

describe("environmentSecret", () => {
  test("keeps the value read at its creation", async () => {
    const environment: Record<string, string> = { BILLING: "sk-old\n" };
    const source = environmentSecret("BILLING", environment);
    environment["BILLING"] = "sk-new";
    expect((await source.read()).reveal()).toBe("sk-old");
  });

  test.each([
    ["NOT_SET", 'environment variable "NOT_SET" is not set'],
    ["toString", 'environment variable "toString" is not set'],
    ["EMPTY", 'environment variable "EMPTY" is empty'],
  ])("refuses %s", (name, fault) => {
    const read = () => environmentSecret(name, { EMPTY: "" }).read();
    expect(read).toThrow(expect.objectContaining({ fault }));
  });

  test("is redacted when it is printed", () => {
    const source = environmentSecret("BILLING", { BILLING: "planted" });
    expect(inspect(source, { depth: 9, showHidden: true }) + JSON.stringify(source)).not.toContain("planted");
  });
});
