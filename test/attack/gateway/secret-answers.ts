import { type Answer, answerJson, head, write, type Exchange } from "./exchange.ts";
import { pickOf } from "./transport-answers.ts";

/** Ways to write a secret so that a person, or a program, can still read it. */
export const FORMS: Readonly<Record<string, (secret: string) => string>> = {
  plain: (secret) => secret,
  base64: (secret) => Buffer.from(secret).toString("base64"),
  "base64 within a text": (secret) => Buffer.from(`Bearer ${secret}!`).toString("base64"),
  base64url: (secret) => Buffer.from(`x${secret}`).toString("base64url"),
  hexadecimal: (secret) => Buffer.from(secret).toString("hex"),
  "percent-encoded": (secret) =>
    Array.from(secret)
      .map((letter) => `%${hex(letter, 2)}`)
      .join(""),
  "partly percent-encoded": (secret) => secret.replaceAll("-", "%2D").replace("a", "%61"),
  "escaped as in JSON": (secret) =>
    Array.from(secret)
      .map((letter) => `\\u${hex(letter, 4)}`)
      .join(""),
  "escaped as in HTML": (secret) =>
    Array.from(secret)
      .map((letter) => `&#x${hex(letter, 2)};`)
      .join(""),
  "with zero-width spaces": (secret) => Array.from(secret).join("\u200b"),
  "with soft hyphens": (secret) => Array.from(secret).join("\u00ad"),
  "with spaces": (secret) => Array.from(secret).join(" "),
  "with line breaks": (secret) => secret.replaceAll(/.{8}/g, "$&\n"),
  reversed: (secret) => Array.from(secret).toReversed().join(""),
  "in upper case": (secret) => secret.toUpperCase(),
  "its first half": (secret) => secret.slice(0, secret.length / 2),
  "its second half": (secret) => secret.slice(secret.length / 2),
  "its halves apart": (secret) =>
    `${secret.slice(0, secret.length / 2)} and ${secret.slice(secret.length / 2)}`,
  "in full-width letters": (secret) =>
    Array.from(secret)
      .map((letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0))
      .join(""),
};

/** Answers that plant a secret of any target, in any form, in one text field. */
export const secretAnswers: Readonly<Record<string, Answer>> = {
  "a secret as the error message": async (exchange) =>
    answerJson(
      exchange.socket,
      JSON.stringify({ error: { code: 1, message: `no access for ${planted(exchange)}` } }),
      pickOf([400, 401, 402, 403, 404, 429, 500, 503], exchange.random),
    ),
  "a secret as the whole error": async (exchange) =>
    answerJson(exchange.socket, JSON.stringify({ error: planted(exchange) }), 400),
  "a secret as the reason and in headers": async (exchange) => {
    const text = planted(exchange).replaceAll(/[^\u0020-\u007e]/g, "");
    await answerJson(exchange.socket, "{}", `403 ${text}`, {
      "x-text": text,
      location: text,
      "retry-after": text,
    });
  },
  "a secret in an invalid head": async (exchange) => {
    await write(exchange.socket, `HTTP/1.1 200 OK\r\n${planted(exchange)}\r\n\r\n`);
    exchange.socket.end();
  },
  "a secret as the Content-Encoding": async (exchange) => {
    const text = planted(exchange).replaceAll(/[^\u0021-\u007e]/g, "");
    await write(exchange.socket, `${head(200, { "content-encoding": text, "content-length": 2 })}{}`);
  },
};

/** The same for the fields of a key. */
export const keySecretAnswers: Readonly<Record<string, Answer>> = {
  "a secret as the label": async (exchange) => withField(exchange, "label"),
  "a secret as the limit_reset": async (exchange) => withField(exchange, "limit_reset"),
  "a secret instead of an amount": async (exchange) => withField(exchange, "usage"),
  "a secret as the name of a field": async (exchange) => {
    const right = JSON.stringify(exchange.right).slice(0, -2);
    const name = JSON.stringify(planted(exchange));
    await answerJson(exchange.socket, `${right},${name}:{${name}:${name}}}}`);
  },
};

/** The same for the texts of an analytics answer. */
export const analyticsSecretAnswers: Readonly<Record<string, Answer>> = {
  "secrets as titles of apps and models": async (exchange) => {
    const rows = Array.from({ length: 40 }, (_, index) => ({
      model: index % 2 === 0 ? planted(exchange) : `acme/${planted(exchange)}`,
      app: `${planted(exchange)} app`,
      total_usage: 40 - index,
    }));
    await answerJson(exchange.socket, usage(rows));
  },
  "secrets as amounts": async (exchange) =>
    answerJson(exchange.socket, usage([{ model: "a", app: "b", total_usage: planted(exchange) }])),
  "secrets as names of columns": async (exchange) =>
    answerJson(exchange.socket, usage([{ model: "a", app: "b", total_usage: 1, [planted(exchange)]: {} }])),
  "secrets as warnings": async (exchange) =>
    answerJson(exchange.socket, usage([], { warnings: [planted(exchange), { [planted(exchange)]: 1 }] })),
};

function planted({ secrets, secret, random }: Exchange): string {
  const forms = Object.values(FORMS);
  const form = forms[Math.floor(random() * forms.length)] ?? String;
  return form(random() < 0.3 ? secret : (secrets[Math.floor(random() * secrets.length)] ?? secret));
}

async function withField(exchange: Exchange, name: string): Promise<void> {
  const right = JSON.stringify(exchange.right).slice(0, -2);
  await answerJson(exchange.socket, `${right},"${name}":${JSON.stringify(planted(exchange))}}}`);
}

function usage(rows: readonly object[], other: object = {}): string {
  const metadata = { truncated: false, query_time_ms: 1, row_count: rows.length };
  return JSON.stringify({ data: { data: rows, metadata, ...other } });
}

function hex(letter: string, digits: number): string {
  return letter.charCodeAt(0).toString(16).padStart(digits, "0");
}
