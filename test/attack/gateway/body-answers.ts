import { body, fill, many, strange } from "./body.ts";
import { type Answer, answerJson, type Exchange } from "./exchange.ts";
import { pickOf } from "./transport-answers.ts";

/** Bodies about a key: the fields of `data`. */
export const keyAnswers: Readonly<Record<string, Answer>> = {
  "16 MB of the own secret": body((size, { secret }) => `{"data":{"label":"${many(secret, " ", size)}"}}`),
  "16 MB of needless escapes": body(
    (size, { secret }) => `{"data":{"label":"${many(escaped(secret), "", size)}"}}`,
  ),
  "a body of a million fields": body(
    (size) => `{"data":{${fill(size, (index) => `"x${index}":${index},`)}"usage":1}}`,
  ),
  "usage a million times": body((size) => `{"data":{${many('"usage":1', ",", size)}}}`),
  "invalid numbers": fields(({ random }) => ({ usage: pickOf([...NUMBERS], random) })),
  "negative and enormous amounts": fields(({ random }) => ({
    usage: pickOf(["-1", "1e308", "-1e308", "5e-324", "-0", '"1e308"', '"-7.5"'], random),
    limit_remaining: "-1e308",
  })),
  "a number of 16 million digits": body((size) => `{"data":{"usage":${"9".repeat(size)}}}`),
  "a text of 16 million digits": body((size) => `{"data":{"usage":"${"9".repeat(size)}x"}}`),
  "invalid dates": fields(({ random }) => ({ expires_at: JSON.stringify(pickOf([...DATES], random)) })),
  "labels of strange characters": fields(({ random }) => ({ label: strange(random) })),
  "a label of 16 MB": body((size) => `{"data":{"usage":1,"label":"${"\\u0000".repeat(size / 6)}"}}`),
  "a limit_reset of 16 MB": body((size) => `{"data":{"usage":1,"limit_reset":"${" ".repeat(size)}"}}`),
  "names of JavaScript": fields(() => ({
    __proto__: '{"usage":666,"limit":666}',
    constructor: '{"prototype":{"usage":666}}',
    toString: "1",
    hasOwnProperty: "null",
  })),
  "types that are wrong": fields(({ random }) => ({
    [pickOf(["usage", "limit", "label", "is_free_tier", "limit_reset"], random)]: pickOf(
      ["[]", "{}", "[[1]]", '{"valueOf":1}', "true"],
      random,
    ),
  })),
};

/** Bodies about usage. */
export const analyticsAnswers: Readonly<Record<string, Answer>> = {
  "rows that are numbers": body((size) => usage(`[${many("0", ",", size - 200)}]`)),
  "empty rows": body((size) => usage(`[${many("{}", ",", size - 200)}]`)),
  "rows of a wrong type, with one that is right": body((size, { right }) => {
    const rows = many('{"model":[],"total_usage":{}}', ",", size / 2);
    return usage(`[${rows},${JSON.stringify(rowOf(right))}]`);
  }),
  "100,000 sensible rows": body((size) => usage(`[${fill(size, (index) => `${row(index)},`)}${row(0)}]`)),
  "1,000 rows with new titles each time": async (exchange) => {
    const tag = exchange.random().toString(36).slice(2);
    const rows = Array.from({ length: 1000 }, (_, index) => row(`${tag}${index}`));
    await answerJson(exchange.socket, usage(`[${rows.join(",")}]`));
  },
  "titles of 1 MB": body((size) => {
    const title = "\u4f60".repeat(size / 40);
    return usage(`[${Array.from({ length: 12 }, (_, index) => row(`${title}${index}`)).join(",")}]`);
  }),
  "titles of strange characters": async ({ socket, random }) => {
    const rows = Array.from(
      { length: 50 },
      () => `{"model":${strange(random)},"app":${strange(random)},"total_usage":1}`,
    );
    await answerJson(socket, usage(`[${rows.join(",")}]`));
  },
  "rows of a million columns": body((size) =>
    usage(`[{${fill(size, (index) => `"c${index}":1,`)}"model":"a","app":"b"}]`),
  ),
  "16 million warnings": body((size) => usage("[]", `"warnings":[${many("0", ",", size - 200)}],`)),
  "warnings of 16 MB": body((size) => usage("[]", `"warnings":["${"w".repeat(size - 200)}"],`)),
  "invalid amounts": async ({ socket, random }) => {
    const amount = pickOf([...NUMBERS], random);
    await answerJson(socket, usage(`[{"model":"a","app":"b","total_usage":${amount}}]`));
  },
  "negative and enormous totals": async ({ socket, random }) => {
    const amount = pickOf(["-5", "1e308", "-1e308", '"1e308"', "-0"], random);
    const one = (app: string) =>
      `{"model":"a","app":"${app}","total_usage":${amount},"request_count":${amount}}`;
    await answerJson(socket, usage(`[${one("x")},${one("y")},${one("z")}]`));
  },
  "times of another age": async ({ socket, random }) => {
    const at = pickOf(["-1", "0", "8.64e15", "1e300", "253402300800000", '"soon"'], random);
    await answerJson(socket, usage("[]", `"cachedAt":${at},`));
  },
};

/** Bodies about a transcription; a query gets its right answer. */
export const transcriptAnswers: Readonly<Record<string, Answer>> = {
  "a transcript of 16 MB": transcript((size) => `{"text":"${many("x", " ", size)}"}`),
  "a transcript of one word of 16 MB": transcript((size) => `{"text":"${"x".repeat(size)}"}`),
  "a transcript in a language of 1 MB": transcript(
    (size) => `{"text":"x","language":"${"e".repeat(size - 200)}","usage":{"cost":1e308},"duration":-1}`,
  ),
};

/** Bodies for every endpoint. */
export const jsonAnswers: Readonly<Record<string, Answer>> = {
  "JSON nested 8 million deep": body((size) => "[".repeat(size / 2)),
  "an unused field nested 8 million deep": body(
    (size) =>
      `{"data":{"usage":1,"data":[],"metadata":{"truncated":false},"x":${"[".repeat(size / 2 - 100)}${"]".repeat(size / 2 - 100)}}}`,
  ),
  "objects nested 2 million deep": body(
    (size) => `{"data":${'{"x":'.repeat(size / 6)}1${"}".repeat(size / 6)}}`,
  ),
  "16 MB of white space": body((size) => " ".repeat(size)),
  "a list of 8 million numbers": body((size) => `[${many("0", ",", size)}]`),
  "texts without an end": body((size) => `{"data":"${"\\".repeat(size)}`),
  "bytes that are not UTF-8": body((size) => Buffer.alloc(size, 0xff)),
  "UTF-16": async ({ socket, right }) =>
    answerJson(socket, Buffer.from(`\ufeff${JSON.stringify(right)}`, "utf16le")),
  "zero bytes": body((size) => Buffer.alloc(size)),
  "HTML of 16 MB": body((size) => `<html>${"<a href='x'>".repeat(size / 12)}`),
  "429 with headers of 16 MB in its body": body(
    (size) =>
      `{"error":{"code":429,"message":"x","metadata":{"headers":{${fill(size, (index) => `"x-${index}":"${index}",`)}"a":"b"}}}}`,
    429,
  ),
  "429 for ever": async ({ socket, random }) =>
    answerJson(socket, '{"error":{"message":"slow down"}}', pickOf([429, 503], random), {
      "retry-after": pickOf(
        ["1000000000", "-5", "NaN", "Fri, 31 Dec 9999 23:59:59 GMT", "9".repeat(5000), "0"],
        random,
      ),
      "x-ratelimit-reset": pickOf(["99999999999999", "-1", "1e400", "0"], random),
    }),
  "an error message of 16 MB": body(
    (size) => `{"error":{"message":"${"\\u202e\\n".repeat(size / 8 - 10)}"}}`,
    400,
  ),
  "an error that changes each time": async ({ socket, random }) =>
    answerJson(
      socket,
      `{"error":{"message":"fault ${random()}"}}`,
      pickOf([400, 401, 402, 403, 404, 408, 413, 500, 502, 529, 504], random),
    ),
};

function transcript(make: (size: number) => string): Answer {
  const answer = body(make);
  return (exchange) =>
    exchange.operation === "transcription"
      ? answer(exchange)
      : answerJson(exchange.socket, JSON.stringify(exchange.right));
}

/** An answer about a key with some fields replaced, as JSON texts. */
function fields(make: (exchange: Exchange) => Readonly<Record<string, string>>): Answer {
  return async (exchange) => {
    const changed = Object.entries(make(exchange)).map(([name, value]) => `,"${name}":${value}`);
    const right = JSON.stringify(exchange.right).slice(0, -2);
    await answerJson(exchange.socket, `${right}${changed.join("")}}}`);
  };
}

const NUMBERS = [
  "1e400",
  "-1e400",
  "NaN",
  "Infinity",
  '"NaN"',
  '"1e400"',
  "01",
  '"0x10"',
  '""',
  '" "',
  "[]",
] as const;
const DATES = [
  "+275760-09-13T00:00:00.001Z",
  "0000-00-00",
  "2026-02-30T25:61:61Z",
  "yesterday",
  "9".repeat(10_000),
] as const;

function usage(rows: string, other = ""): string {
  return `{"data":{${other}"data":${rows},"metadata":{"truncated":false,"query_time_ms":1,"row_count":1}}}`;
}

function row(title: string | number): string {
  return `{"model":"acme/${title}","app":"app ${title}","total_usage":1,"request_count":1,"tokens_total":1}`;
}

function rowOf(right: Exchange["right"]): unknown {
  return JSON.parse(JSON.stringify(right), (name, value: unknown) =>
    name === "data" && Array.isArray(value) ? value[0] : value,
  );
}

function escaped(text: string): string {
  return Array.from(text)
    .map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
