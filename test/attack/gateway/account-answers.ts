import { body, fill, many, strange } from "./body.ts";
import { type Answer, answerJson, type Exchange, type Operation } from "./exchange.ts";

/** Bodies about what the analytics can be asked for: the lists of metrics and of dimensions. */
export const capabilitiesAnswers: Readonly<Record<string, Answer>> = {
  "100,000 names of metrics": capabilities((size) => {
    const names = fill(size, (index) => `{"name":"metric_${index}"},`);
    return `[${names}{"name":"x"}]`;
  }),
  "names of metrics of 1 MB": capabilities((size) => `[{"name":"${"m".repeat(size)}"}]`),
  "names of metrics that are secrets": capabilities((_size, { secrets, random }) => {
    const name = JSON.stringify(secrets[Math.floor(random() * secrets.length)]);
    return `[{"name":${name}},{"name":${strange(random)}},{"name":"api_key_ie"}]`;
  }),
  "names of metrics that are no texts": capabilities((size) => `[${many('{"name":[]}', ",", size)}]`),
};

/** Bodies about the keys of the account. */
export const listingAnswers: Readonly<Record<string, Answer>> = {
  "a list of keys without an end": listing((exchange) => rows(exchange, 1000, (hash) => `"hash":"${hash}"`)),
  "a list without an end of what is no key": listing((exchange) => rows(exchange, 9000, () => '"hash":0')),
  "1,000 new keys each time": listing(({ random, offset }) => {
    const salt = random().toString(16).slice(2, 10);
    return rows({ offset }, offset > 0 ? 0 : 1000, (hash) => `"hash":"${salt}${hash.slice(salt.length)}"`);
  }),
  "keys with names of 1 MB": listing((exchange) =>
    rows(exchange, 2, (hash) => `"hash":"${hash}","name":"${"n".repeat(400_000)}"`),
  ),
  "keys with strange names": listing((exchange) =>
    rows(exchange, 500, (hash) => `"hash":"${hash}","name":${strange(exchange.random)}`),
  ),
  "keys that are named like secrets": listing((exchange) => {
    const secret = exchange.secrets[Math.floor(exchange.random() * exchange.secrets.length)];
    return rows(exchange, 1, (hash) => `"hash":"${hash}","name":${JSON.stringify(secret)}`);
  }),
  "keys with amounts that are no numbers": listing((exchange) =>
    rows(exchange, 100, (hash) => `"hash":"${hash}","limit":1e999,"usage_daily":"x"`),
  ),
};

function capabilities(makeList: (size: number, exchange: Exchange) => string): Answer {
  return only(
    "capabilities",
    body((size, exchange) => {
      const list = () => makeList(size / 2 - 500, exchange);
      return `{"data":{"metrics":${list()},"dimensions":${list()}}}`;
    }),
  );
}

function listing(makeRows: (exchange: Exchange) => string): Answer {
  return only("listing", (exchange) => answerJson(exchange.socket, `{"data":[${makeRows(exchange)}]}`));
}

/** Rows from the offset of the request on. */
function rows(
  { offset }: Pick<Exchange, "offset">,
  count: number,
  fieldsOf: (hash: string) => string,
): string {
  return Array.from({ length: count }, (_, index) => {
    const hash = (offset + index).toString(16).padStart(64, "0");
    return `{"usage":1,${fieldsOf(hash)}}`;
  }).join();
}

/** Requests for another operation get their right answer. */
function only(operation: Operation, answer: Answer): Answer {
  return (exchange) =>
    exchange.operation === operation
      ? answer(exchange)
      : answerJson(exchange.socket, JSON.stringify(exchange.right));
}
