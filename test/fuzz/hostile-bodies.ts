/** Bodies that cost a parser far more than their length suggests. Each has at most `size` bytes. */
export type HostileBody = (size: number) => string;

const SENTENCE = "the quick brown fox jumps over the lazy dog ".repeat(8);
const BASE64 = Buffer.from(SENTENCE).toString("base64");
const HEXADECIMAL = Buffer.from(SENTENCE).toString("hex");

const ROW = { model: "m", app: "a", total_usage: 1, request_count: 1, tokens_total: "12", tokens_prompt: 1 };

/** By name: at the top, in the places of the contract, and in fields that nobody asked for. */
export const HOSTILE_BODIES: Readonly<Record<string, HostileBody>> = {
  ...placed("zeros", "[", "0", "]"),
  ...placed("empty objects", "[", "{}", "]"),
  ...placed("empty arrays", "[", "[]", "]"),
  ...placed("equal names", "{", '"a":0', "}"),
  ...placed("prototypes", "[", '{"__proto__":{}}', "]"),
  ...placed("different names", "{", (index) => `"${index.toString(36)}":0`, "}"),
  ...placed("numbers as names", "{", (index) => `"${(index * 7919) % 4_294_967_290}":"1"`, "}"),
  ...placed("different texts", "[", (index) => `"${index.toString(36)}"`, "]"),
  ...placed("infinite numbers", "[", "1e400", "]"),
  ...placed("numbers of 30,000 digits", "[", "7".repeat(30_000), "]"),
  "rows that are right": (size) => answer(repeated(size - 300, JSON.stringify(ROW))),
  "rows whose columns are all wrong": (size) =>
    answer(repeated(size - 300, JSON.stringify({ model: [], app: {}, total_usage: "x", tokens_total: {} }))),
  "rows of numbers with many digits": (size) =>
    answer(`{"model":"m","app":"a","total_usage":"${"1".repeat(size - 400)}"}`),
  "listed keys that are right": (size) => `{"data":[${repeated(size - 300, listedKey)}]}`,
  "names of dimensions that are nearly right": (size) =>
    `{"data":{"metrics":[],"dimensions":[${repeated(size - 300, (index) => `{"name":"api_key_${index}"}`)}]}}`,
  "a thousand rows with long names": (size) => answer(longRows(size, "漢")),
  "a thousand rows with names that must be escaped": (size) => answer(longRows(size, "\\u0001")),
  ...disguised("percent signs", "%68%65"),
  ...disguised("percent signs, twice", "%2568%2565"),
  ...disguised("percent signs, three times", "%252568%252565"),
  ...disguised("escapes of JSON", "\\\\u0068\\\\u0065"),
  ...disguised("escapes of bytes", "\\\\x68\\\\145"),
  ...disguised("numbers of characters", "&#104;&#x65;"),
  ...disguised("equals signs", "=68=65=3D"),
  ...disguised("everything, mixed", "%25%32%35 aGVsbG8gd29ybGQgaGVsbG8= 68656c6c6f20776f726c64 &#65;"),
  ...disguised("readable base64", BASE64),
  ...disguised("base64 of base64", Buffer.from(BASE64).toString("base64")),
  ...disguised("base64 of hexadecimal digits", Buffer.from(HEXADECIMAL).toString("base64")),
  ...disguised("hexadecimal digits", HEXADECIMAL),
  ...disguised("Cyrillic look-alikes", "аеорсх"),
  ...disguised("invisible copies of ASCII", "\u{E0041}\u{E0042}"),
  ...disguised("invisible characters", "a\u200bb\u0301"),
  ...disguised("beginnings of tokens", "eyJhbGciOiJIUzI1NiJ9."),
  ...disguised("nearly a secret", "0123456x789abcdx"),
  "a thousand rows, most of them wrong": (size) =>
    answer(
      [JSON.stringify(ROW), ...Array<string>(Math.min(999, size / 20)).fill('{"model":[],"app":[]}')].join(),
    ),
  ...text("ASCII", "x"),
  ...text("two bytes a character", "é"),
  ...text("three bytes a character", "漢"),
  ...text("surrogates", "🔑"),
  ...text("lone surrogates", "\\ud800"),
  ...text("marks that Unicode sorts", "\u0315\u0300"),
  ...text("control characters", "\\u001b"),
  ...text("needless escapes", "\\u0073"),
  ...text("the credential", "sk-key "),
  ...text("commas", ","),
  "nested arrays": (size) => "[".repeat(size / 2) + "]".repeat(size / 2),
  "nested arrays without end": (size) => "[".repeat(size),
  "nested objects": (size) => nested(size, '{"data":'),
  "white space": (size) => `${" ".repeat(size - 1)}0`,
  "bytes that are no text": (size) => "\u0000".repeat(size),
};

function listedKey(index: number): string {
  return JSON.stringify({ hash: `${index}`.padStart(64, "0"), name: `team-${index}`, usage: 1, limit: 2 });
}

/** An answer of the analytics with these rows, which is key information and a refusal as well. */
function answer(rows: string, more = ""): string {
  return `{"data":{"usage":1,"data":[${rows}],"metadata":{"truncated":false}${more}}}`;
}

/** One kind of value in every place: where rows, warnings, headers or a message are expected, and beside them. */
function placed(name: string, open: string, item: string | ((index: number) => string), close: string) {
  const filled = (size: number) => open + repeated(size - 300, item) + close;
  return {
    [`${name} at the top`]: filled,
    [`${name} as rows`]: (size: number) => answer(filled(size).slice(1, -1)),
    [`${name} as warnings`]: (size: number) => answer(JSON.stringify(ROW), `,"warnings":${filled(size)}`),
    [`${name} as listed keys`]: (size: number) => `{"data":${filled(size)}}`,
    [`${name} as names of metrics and dimensions`]: (size: number) =>
      `{"data":{"metrics":${filled(size / 2)},"dimensions":${filled(size / 2)}}}`,
    [`${name} beside the fields`]: (size: number) => answer(JSON.stringify(ROW), `,"more":${filled(size)}`),
    [`${name} as headers in a refusal`]: (size: number) =>
      `{"error":{"message":"No","metadata":{"headers":${filled(size)}}}}`,
  };
}

/** One long text in every place where a text is shown. */
function text(name: string, piece: string) {
  const long = (size: number) => `"${piece.repeat((size - 400) / Buffer.byteLength(piece))}"`;
  return {
    [`${name} as a message`]: (size: number) => `{"error":{"message":${long(size)}},"text":"a"}`,
    [`${name} as a label`]: (size: number) =>
      `{"data":{"label":${long(size / 2)},"usage":1,"data":[{"model":${long(size / 2)},"app":"a"}],"metadata":{"truncated":false}}}`,
    [`${name} as a number`]: (size: number) =>
      `{"data":{"usage":${long(size / 2)},"data":[{"model":"m","app":"a","total_usage":${long(size / 2)}}],"metadata":{"truncated":false}}}`,
    [`${name} as the name of a listed key`]: (size: number) =>
      `{"data":[{"hash":"${"f".repeat(64)}","name":${long(size / 2)},"label":${long(size / 2)},"usage":1}]}`,
    [`${name} as the hash of a listed key`]: (size: number) =>
      `{"data":[{"hash":${long(size)},"name":"a","usage":1}]}`,
    [`${name} as names of metrics and dimensions`]: (size: number) =>
      `{"data":{"metrics":[{"name":${long(size / 2)}}],"dimensions":[{"name":${long(size / 2)}}]}}`,
    [`${name} as a transcript`]: (size: number) => `{"text":${long(size / 2)},"language":${long(size / 2)}}`,
  };
}

function repeated(size: number, item: string | ((index: number) => string)): string {
  const items: string[] = [];
  for (let left = size, index = 0; ; index++) {
    const next = typeof item === "string" ? item : item(index);
    left -= next.length + 1;
    if (left < 0) return items.join();
    items.push(next);
  }
}

function nested(size: number, open: string): string {
  const depth = Math.floor(size / (open.length + 1));
  return open.repeat(depth) + "}".repeat(depth);
}

/** Names of a kilobyte, as long as labels may be, that the search for disguised secrets has to look at. */
function disguised(name: string, piece: string) {
  return {
    [`a thousand rows with names of ${name}`]: (size: number) => answer(longRows(size, piece)),
    [`a thousand rows, each with other names of ${name}`]: (size: number) =>
      answer(longRows(size, (index) => `${index} ${piece}`)),
  };
}

function longRows(size: number, written: string | ((index: number) => string)): string {
  const bytes = size / 1000 - 100;
  const row = (_: unknown, index: number) => {
    const piece = typeof written === "string" ? written : written(index);
    const name = piece.repeat(Math.max(0, bytes / Buffer.byteLength(piece) / 2));
    return `{"model":"${index} ${name}","app":"${name}"}`;
  };
  return Array.from({ length: 1000 }, row).join();
}
