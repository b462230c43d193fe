import { describe, expect, test } from "vitest";
import { planted } from "../support/planted-secrets.ts";
import { FORMS } from "./gateway/secret-answers.ts";
import { createLeakSearch } from "./leak-search.ts";

const secret = planted("leak search");

describe("createLeakSearch", () => {
  test.each(Object.entries(FORMS))("finds a secret %s", (_form, write) => {
    const { search } = createLeakSearch(new Map([["a key", secret]]));
    const text = `{"level":"error","msg":"no access for ${write(secret)}, sorry"}`;
    expect(search(text).join()).toContain("a key");
  });

  test.each(Object.entries(FORMS))("finds a secret %s in a log line of JSON", (_form, write) => {
    const { search } = createLeakSearch(new Map([["a key", secret]]));
    expect(search(JSON.stringify({ msg: `no access for ${write(secret)}` })).join()).toContain("a key");
  });

  test("reports a line once, whatever the value of its sample", () => {
    const { search } = createLeakSearch(new Map([["a key", secret]]));
    expect(search(`usage{app="${secret}"} 1`)).not.toEqual([]);
    expect(search(`usage{app="${secret}"} 2`)).toEqual([]);
  });

  test("finds nothing in other texts of the same kind", () => {
    const { search } = createLeakSearch(new Map([["a key", secret]]));
    for (const write of Object.values(FORMS)) expect(search(write(planted("another")))).toEqual([]);
  });
});
