import { describe, expect, test } from "vitest";
import { createRedactor, redact } from "../../../exporter/secrets/redact.ts";
import { Secret } from "../../../exporter/secrets/secret.ts";
import { planted } from "../../support/planted-secrets.ts";
import { loadText } from "./simulated-files.ts";
import { createLog, LOG_FORMATS, LOG_LEVELS, type LogFormat, type LogLevel } from "../../../exporter/log.ts";

const MINUTE_MS = 60_000;

function redactorOf(...texts: readonly string[]) {
  let nowMs = 0;
  const redactor = createRedactor(() => nowMs);
  for (const text of texts) redactor.use(text);
  return {
    ...redactor,
    pass: (minutes: number) => {
      nowMs += minutes * MINUTE_MS;
    },
  };
}

describe("a secret in use", () => {
  const PASSWORD = 'Tr0ub4dor&3-"correct"/horse';

  test.each([
    ["as it is", PASSWORD],
    ["in JSON", JSON.stringify(PASSWORD).slice(1, -1)],
    ["in a URL", encodeURIComponent(PASSWORD)],
    ["in hexadecimal digits", Buffer.from(PASSWORD).toString("hex")],
    ["in base64", Buffer.from(PASSWORD).toString("base64").replace("=", "")],
    ["in base64url", Buffer.from(PASSWORD).toString("base64url")],
  ])("is hidden %s", (_name, text) => {
    const { redact: shown, holdsSecret } = redactorOf(PASSWORD);
    expect(shown(`Bad key (${text}), ${text}.`)).toBe("Bad key ([redacted]), [redacted].");
    expect(holdsSecret(`x${text}x`)).toBe(true);
  });

  test("is hidden in both alphabets of base64", () => {
    const { redact: shown } = redactorOf("abc???def");
    expect(shown("YWJjPz8/ZGVm YWJjPz8_ZGVm")).toBe("[redacted] [redacted]");
  });

  test("is hidden as a whole only, because a hidden fragment would confirm a guess", () => {
    const { redact: shown } = redactorOf("k9wq3mzt7rxbd5vhn2cf");
    expect(shown("k9wq3mzt7rxbd5vhn2c 9wq3mzt7rxbd5vhn2cf")).toBe("k9wq3mzt7rxbd5vhn2c 9wq3mzt7rxbd5vhn2cf");
  });

  test("is hidden with one that it begins or overlaps, as one mark", () => {
    const { redact: shown } = redactorOf("secret-one", "secret-one-and-two", "and-two-three");
    expect(shown("a secret-one-and-two-three b secret-one.")).toBe("a [redacted] b [redacted].");
  });

  test("is not hidden if it is shorter than six characters, because it may be a part of a word", () => {
    expect(redactorOf("three").redact("three")).toBe("three");
  });

  test("is hidden until an hour after its last use", () => {
    const redactor = redactorOf("k9wq3mzt7rxbd5vhn2cf");
    redactor.pass(50);
    redactor.use("k9wq3mzt7rxbd5vhn2cf");
    redactor.pass(59);
    redactor.use("another one");
    expect(redactor.holdsSecret("k9wq3mzt7rxbd5vhn2cf")).toBe(true);
    redactor.pass(2);
    redactor.use("a third one");
    expect(redactor.holdsSecret("k9wq3mzt7rxbd5vhn2cf")).toBe(false);
    expect(redactor.holdsSecret("another one")).toBe(true);
  });

  test("of a place is hidden until an hour after another one has replaced it", () => {
    const redactor = redactorOf();
    redactor.hold("file", ["first-secret"]);
    redactor.hold("other file", ["first-secret"]);
    redactor.pass(6000);
    redactor.hold("file", ["second-secret"]);
    redactor.hold("other file", ["third-secret"]);
    redactor.pass(59);
    expect(redactor.redact("first-secret, second-secret")).toBe("[redacted], [redacted]");
    redactor.pass(2);
    redactor.use("fourth-secret");
    expect(redactor.redact("first-secret, second-secret")).toBe("first-secret, [redacted]");
  });
});

describe("a text", () => {
  const { redact: shown, holdsSecret } = redactorOf(
    ...Array.from({ length: 1000 }, (_, index) => planted(`key ${index}`)),
  );

  test.each([
    "anthropic/claude-sonnet-4.5-20250929",
    "SK Hynix: sk-learn-experiments-2024",
    "社内チャットボット・第二版 🦄",
    'Cannot read key "billing": gateway answered 429: request 7f3a9c1e-1b2c-4d5e-8f90-a1b2c3d4e5f6',
    "sk-or-v1-0e6...1c9",
  ])("without a secret is shown as it is: %s", (text) => {
    expect(shown(text)).toBe(text);
    expect(holdsSecret(text)).toBe(false);
  });

  test.each([
    ["an unknown key", `Incorrect API key provided: ${planted("unknown")}.`],
    ["a header", `authorization: Bearer ${planted("header").slice(9)}`],
    ["a token of a code host", "remote: ghp_16C7e42F292c6912E7710c838347Ae178B4a"],
    [
      "a token of JSON",
      "got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
    ],
    ["a login in a URL", "proxy http://me:secret@proxy.example:3128 failed"],
    ["a hash", "user $2b$12$abcdefghijklmnopqrstuuAbCdEfGhIjKlMnOpQrStUvWxYz01234 failed"],
    ["a private key", "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----"],
  ])("with what looks like a secret is shown without it: %s", (_name, text) => {
    expect(shown(text)).toContain("[redacted]");
    expect(shown(text).replaceAll("[redacted]", "")).not.toMatch(/[\w-]{16}|secret@|MIIE/);
  });

  test.each(["a", "sk-", "eyJ", "://a:", "-----BEGIN ", "bearer   "])(
    "of many %j takes linear time",
    (piece) => {
      expect(holdsSecret(piece.repeat(20_000))).toBe(false);
    },
  );
});

describe("redact", () => {
  test("hides the secrets of a configuration from the start, before any of them is used", async () => {
    const [key, management] = ["k9wq3mzt7rxbd5vhn2cf", "p4jgy8slu6ea1ok0ziwx"];
    const text = `{ gateway: { base_url: "https://gateway.example" }, keys: [{ name: a, api_key_file: a }],
      keys_dir: keys, analytics: { management_key_env: MANAGEMENT } }`;
    const files = { "/etc/aigateway/a": key, "/etc/aigateway/keys/b": key.toUpperCase() };
    expect(await loadText(text, { files, env: { MANAGEMENT: management } })).toMatchObject({ ok: true });
    expect(redact(`${key} ${management} ${key.toUpperCase()}`)).toBe("[redacted] [redacted] [redacted]");
  });

  test("hides each Secret, which prints as a mark itself", () => {
    const secret = new Secret("sk-planted");
    expect(redact(secret.reveal())).toBe("[redacted]");
    expect(`${String(secret)} ${JSON.stringify(secret)}`).toBe('[redacted] "[redacted]"');
  });
});

describe.each(LOG_FORMATS)("the field error of a log in %s", (format) => {
  test("contains no secret, nor does any other text of a line", () => {
    const lines: string[] = [];
    const secret = new Secret("sk-one");
    const log = createLog("debug", format, { write: (line) => void lines.push(line) });
    log.error({ error: String(new Error("Bearer sk-one")) }, "Cannot answer");
    log.error({ target: "sk-one", error: new Error("Bearer sk-one") }, "Cannot poll");
    log.info({ targets: ["a", "sk-one"] }, "Bearer sk-one");
    expect(lines).toHaveLength(3);
    for (const line of lines.slice(0, 2)) expect(line).toMatch(/error"?[:=]"Error: Bearer \[redacted\]"/);
    expect(lines.join("\n")).not.toContain("sk-one");
    expect(lines.join("\n").match(/\[redacted\]/g)).toHaveLength(5);
    expect(secret.reveal()).toBe("sk-one");
  });
});

function logTo(level: LogLevel, format: LogFormat) {
  const lines: string[] = [];
  return { lines, log: createLog(level, format, { write: (line) => void lines.push(line) }) };
}

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/;

describe("createLog()", () => {
  test.each<[LogFormat, string]>([
    [
      "json",
      '{"level":"warn","time":"TIME","collector":"key","target":"b","count":2,"msg":"Cannot read \\"b\\"\\n"}\n',
    ],
    ["logfmt", 'level=warn time=TIME collector=key target=b count=2 msg="Cannot read \\"b\\"\\n"\n'],
  ])("writes one line for each event in %s, without the fields that are undefined", (format, line) => {
    const { log, lines } = logTo("info", format);
    log.warn({ collector: "key", target: "b", count: 2, missing: undefined }, 'Cannot read "b"\n');
    expect(lines.map((text) => text.replace(TIME, "TIME"))).toEqual([line]);
  });

  test("drops and counts lines while 1 MiB waits for a reader", () => {
    const lines: string[] = [];
    const output = { writableLength: 1024 * 1024 + 1, write: (line: string) => void lines.push(line) };
    const log = createLog("info", "json", output);
    let dropped = 0;
    log.onDrop?.(() => void (dropped += 1));
    log.warn({}, "one");
    log.debug({}, "not written anyway");
    expect([lines.length, dropped]).toEqual([0, 1]);
    output.writableLength = 0;
    log.warn({}, "two");
    expect([lines.length, dropped]).toEqual([1, 1]);
  });

  test.each(LOG_LEVELS)("writes the lines of the level %s and above", (level) => {
    const { log, lines } = logTo(level, "logfmt");
    for (const each of LOG_LEVELS) log[each]({}, "text");
    const levels = lines.map((line) => /^level=(\w+)/.exec(line)?.[1]);
    expect(levels).toEqual(LOG_LEVELS.slice(LOG_LEVELS.indexOf(level)));
  });
});
