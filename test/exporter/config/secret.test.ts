import { describe, expect, test } from "vitest";

import { rememberSecret, Secret, withoutSecrets } from "../../../exporter/config/secret.ts";

describe("withoutSecrets", () => {
  test.each([
    ["one that was read", "Bearer sk-one!", "Bearer [redacted]!"],
    ["one again and again", "sk-one sk-one", "[redacted] [redacted]"],
    ["one that begins with another one", "sk-one-and-more", "[redacted]"],
    ["one that was only remembered", "a $2b$10$hash b", "a [redacted] b"],
    ["nothing else", "sk-three", "sk-three"],
  ])("takes out %s", (_name, text, shown) => {
    for (const secret of ["sk-one", "sk-one-and-more"]) expect(String(new Secret(secret))).toBe("[redacted]");
    rememberSecret("$2b$10$hash");
    // Nothing to look for.
    rememberSecret("");
    expect(withoutSecrets(text)).toBe(shown);
  });

  test("knows those in use while others are rotated away without end", () => {
    const used = new Secret("sk-in-use").reveal();
    for (let turn = 0; turn < 60_000; turn++) {
      rememberSecret(`rotated ${turn}.`);
      if (turn % 10_000 === 0) rememberSecret(used);
    }
    expect(withoutSecrets("sk-in-use, rotated 5., rotated 59999.")).toBe(
      "[redacted], rotated 5., [redacted]",
    );
  });
});
