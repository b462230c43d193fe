import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createConcealer } from "../../../exporter/conceal/concealer.ts";
import { DISGUISES, PARTS } from "../../support/disguises.ts";

const MARK = "[redacted]";

const SECRETS = {
  "hexadecimal digits": `sk-or-v1-${random("a", "hex")}`,
  "letters and digits": `sk-proj-${random("b", "base64url").replaceAll(/[-_]/g, "x")}`,
  base64url: "gsk_x9-Kd_Pw3Rt7Vb2Nm5_QzA8-LcYf1Hj6Ds0G",
  "letters without a prefix": "qwZmdxTtcKpoVrnLdbNbhYhsGsfJfaAe",
  "words, as a long password": "Tr0ub4dor&3-correct/horse",
};

describe.each(Object.entries(SECRETS))("a secret of %s", (_kind, secret) => {
  const concealer = rememberingAll([secret]);

  describe.each(Object.entries(PARTS))("its %s", (_part, partOf) => {
    test.each(Object.entries(DISGUISES))("is concealed %s", (_name, disguise) => {
      const text = disguise(partOf(secret));
      expect(concealer.holds(text)).toBe(true);
      expectOnlyMarks(concealer.conceal(text, MARK));
    });
  });
});

describe("a secret", () => {
  test("is concealed in any text and any disguise, however the text continues", () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: "grapheme" }), fc.lorem());
    const property = fc.property(
      fc.uint8Array({ minLength: 24, maxLength: 48 }),
      fc.constantFrom("hex" as const, "base64url" as const),
      fc.constantFrom(...Object.values(DISGUISES)),
      fc.constantFrom(...Object.values(PARTS)),
      text,
      text,
      (bytes, encoding, disguise, partOf, before, after) => {
        const secret = `sk-or-v1-${Buffer.from(bytes).toString(encoding)}`;
        const part = partOf(secret);
        // Too few letters and digits, as in `AAAAAAA-___`.
        fc.pre(new Set(part.replaceAll(/[^a-z\d]/gi, "")).size >= 6);
        const concealer = rememberingAll([secret]);
        const shown = concealer.conceal(`${before} ${disguise(part)} ${after}`, MARK);
        expect(shown).toContain(MARK);
        expect(shown).not.toContain(disguise(part));
      },
    );
    fc.assert(property, { numRuns: 500 });
  });

  test("is concealed as a whole if it is short, where it is not a part of a word", () => {
    const concealer = rememberingAll(["sk-three", "p!w", "hunter2!"]);
    expect(concealer.conceal("sk-three, task three, SK-THREE.", MARK)).toBe(`${MARK}, task three, ${MARK}.`);
    expect(concealer.conceal("user:p!w@host hunter2!", MARK)).toBe(`user:${MARK}@host ${MARK}`);
    expect(concealer.conceal("a hunter", MARK)).toBe("a hunter");
  });

  test("is concealed with its public beginning and the other characters at its ends", () => {
    const secret = `$$-${random("c", "hex")}-$$`;
    const concealer = rememberingAll([secret, SECRETS["hexadecimal digits"]]);
    expect(concealer.conceal(`(${secret})`, MARK)).toBe(`(${MARK})`);
    expect(concealer.conceal(`"${SECRETS["hexadecimal digits"]}"`, MARK)).toBe(`"${MARK}"`);
  });

  test.each([
    ["the public beginning", "sk-or-v1-"],
    ["a masked fragment", `sk-or-v1-${random("a", "hex").slice(0, 3)}...${random("a", "hex").slice(-3)}`],
    ["seven characters", random("a", "hex").slice(20, 27)],
    ["a date that it contains", "gpt-4o-2024-08-06"],
  ])("stays recognizable for a person by %s", (_name, text) => {
    const concealer = rememberingAll([SECRETS["hexadecimal digits"], `sk-20240806${random("d", "hex")}`]);
    expect(concealer.conceal(text, MARK)).toBe(text);
  });

  test("of many that share a beginning is found by its rest", () => {
    const secrets = Array.from(
      { length: 1000 },
      (_, index) => `AIzaSyShared${random(`shared ${index}`, "hex")}`,
    );
    const concealer = rememberingAll(secrets);
    const texts = secrets.map((secret) => `no key ${secret.slice(20)} here`);
    expect(texts.filter((text) => concealer.conceal(text, MARK) !== `no key ${MARK} here`)).toEqual([]);
  });
});

describe("a text", () => {
  const concealer = rememberingAll(
    Array.from({ length: 1000 }, (_, index) => `sk-or-v1-${random(`key ${index}`, "hex")}`),
  );

  test.each([
    "anthropic/claude-sonnet-4.5-20250929",
    "openai/gpt-4o-mini-2024-07-18",
    "meta-llama/llama-3.1-405b-instruct:free",
    "SK Hynix: sk-learn-experiments-2024",
    "Customer support (https://support.example.com:8443/a?b=c&d=%20e)",
    "Отдел продаж — бот 2",
    "社内チャットボット・第二版",
    "🦄 Ünïcödé Âpp\u200D",
    'Cannot read key "billing": gateway answered 429: Rate limit of 20 requests exceeded, request 7f3a9c1e-1b2c-4d5e-8f90-a1b2c3d4e5f6',
    "2026-11-22T15:49:00.123Z 1795362540123 0.1.0",
    String.raw`C:\users\new\%APPDATA%\x0a 0xff =3D &copy; \u00e9`,
    "Bearer authentication is required",
    "the connection failed (UND_ERR_SOCKET)",
    "a".repeat(5000),
  ])("without a secret is shown as it is: %s", (text) => {
    expect(concealer.conceal(text, MARK)).toBe(text);
    expect(concealer.holds(text)).toBe(false);
  });

  test("of random words, numbers and identifiers is shown as it is", () => {
    const word = fc.oneof(
      fc.lorem({ maxCount: 1 }),
      fc.integer().map(String),
      fc.constantFrom("gpt-4o", "v2", "Ä"),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 20 }), (words) => {
        expect(concealer.conceal(words.join(" "), MARK)).toBe(words.join(" "));
      }),
    );
  });

  test.each([
    ["an unknown key", `Incorrect API key provided: sk-proj-${random("e", "base64url")}.`],
    ["one of zero-width characters", `Bad sk-proj-\u200B${Array.from(random("f", "hex")).join("\u200B")}`],
    ["one in base64", `Bad ${Buffer.from(`sk-ant-api03-${random("g", "hex")}`).toString("base64")}`],
    ["a header", `authorization: Bearer ${random("h", "hex")}`],
    ["a token of a code host", "remote: ghp_16C7e42F292c6912E7710c838347Ae178B4a"],
    [
      "a token of JSON",
      "got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
    ],
    ["a login in a URL", "proxy http://me:secret@proxy.example:3128 failed"],
    ["a hash", "user $2b$12$abcdefghijklmnopqrstuuAbCdEfGhIjKlMnOpQrStUvWxYz01234 failed"],
    ["a private key", "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----"],
  ])("with what looks like a secret is shown without it: %s", (_name, text) => {
    const shown = concealer.conceal(text, MARK);
    expect(shown).toContain(MARK);
    expect(shown.replaceAll(MARK, "")).not.toMatch(/[\w-]{16}|secret@|MIIE/);
  });

  test.each([
    ["of one letter", "a"],
    ["of escapes", "%25"],
    ["of unfinished escapes", String.raw`\u00`],
    ["of entities", "&#1"],
    ["of beginnings of keys", "sk-"],
    ["of beginnings of tokens", "eyJ"],
    ["of logins", "://a:"],
    ["of beginnings of private keys", "-----BEGIN "],
    ["of bearers", "bearer   "],
    ["of base64 that is readable in each direction", "QUFB"],
    ["of accents", "e\u0301"],
  ])("%s takes linear time", (_name, piece) => {
    const text = piece.repeat(20_000);
    expect(concealer.conceal(text, MARK)).toBe(text);
  });
});

function rememberingAll(secrets: readonly string[]) {
  const concealer = createConcealer();
  concealer.remember(OWNER, secrets);
  return concealer;
}

/** Lives as long as the tests. */
const OWNER = {};

function random(seed: string, encoding: "hex" | "base64url"): string {
  return createHash("sha256").update(seed).digest(encoding);
}

/** What remains is padding, a separator, or half a character in base64. */
function expectOnlyMarks(shown: string): void {
  expect(shown).toContain(MARK);
  expect(shown.replaceAll(MARK, "").length).toBeLessThanOrEqual(12);
}
