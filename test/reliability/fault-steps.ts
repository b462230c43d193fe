import type { Exchange, Fault } from "./faulty-gateway.ts";
import type { JsonObject } from "./right-answers.ts";

type Headers = Readonly<Record<string, string>>;

/** A refusal with the envelope of the contract (7). */
export function refusing(status: number, headers: Headers = {}, metadata?: JsonObject): Fault {
  const error = { code: status, message: "Refused", ...(metadata && { metadata }) };
  return sending(JSON.stringify({ error }), status, headers);
}

/** These bytes instead of the correct answer. */
export function sending(body: string | Uint8Array, status = 200, headers: Headers = JSON_TYPE): Fault {
  return ({ response }) => void response.writeHead(status, headers).end(body);
}

/** The correct answer in another form. */
export function sendingAs(form: (text: string) => string | Uint8Array, headers: Headers = JSON_TYPE): Fault {
  return ({ right, response }) => void response.writeHead(200, headers).end(form(JSON.stringify(right)));
}

/** The correct answer, with changed data of the key or the query. */
export function changing(changes: {
  readonly key?: (data: JsonObject) => JsonObject;
  readonly analytics?: AnalyticsChange;
}): Fault {
  return (exchange) => {
    const data = objectOf(exchange.right["data"]);
    const changed =
      exchange.collector === "key"
        ? changes.key?.(data)
        : changes.analytics?.(
            { ...data, data: rowsOf(data), metadata: objectOf(data["metadata"]) },
            exchange,
          );
    exchange.response.end(JSON.stringify({ data: changed ?? data }));
  };
}

export type AnalyticsChange = (data: AnalyticsData, exchange: Exchange) => JsonObject;

/** The data of an answer to a query (contract 2.4). */
export interface AnalyticsData extends JsonObject {
  readonly data: readonly JsonObject[];
  readonly metadata: JsonObject;
}

function rowsOf(data: JsonObject): readonly JsonObject[] {
  return Array.isArray(data["data"]) ? data["data"].map(objectOf) : [];
}

function objectOf(value: unknown): JsonObject {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

/** The time of a clock that differs from the exporter's. */
export function dated(offsetMs: number): Fault {
  return ({ right, collector, nowMs, response }) => {
    const date = new Date(nowMs + offsetMs);
    const cachedAt = collector === "key" ? {} : { cachedAt: date.getTime() };
    const body = { data: { ...objectOf(right["data"]), ...cachedAt } };
    response.writeHead(200, { date: date.toUTCString() }).end(JSON.stringify(body));
  };
}

/** All numbers of an answer as texts (observed-behaviour 1). */
export function numbersAsTexts(text: string): string {
  return text.replaceAll(/":(-?\d[\d.]*)/g, '":"$1"');
}

/** A body with this content encoding. */
export function compressed(compress: (text: string) => Buffer, encoding: string): Fault {
  return sendingAs(compress, { "content-encoding": encoding });
}

/** Half of the body that was announced, then the end of the connection. */
export const cut: Fault = ({ right, response }) => {
  const text = JSON.stringify(right);
  response.writeHead(200, { "content-length": text.length });
  response.write(text.slice(0, text.length / 2), () => response.destroy());
};

/** A byte a second: it would take minutes. */
export const drip: Fault = ({ right, response }) => {
  const text = JSON.stringify(right);
  let index = 0;
  const timer = setInterval(() => response.write(text[index++ % text.length]), 1000);
  response.writeHead(200).flushHeaders();
  response.on("close", () => clearInterval(timer));
};

/** An interim response, before the final one. */
export const earlyHints: Fault = ({ right, response }) => {
  response.writeEarlyHints({ link: "</style.css>; rel=preload" }, () => response.end(JSON.stringify(right)));
};

/** A second response without a request, in the same packet. */
export const twice: Fault = ({ right, response }) => {
  const strange = JSON.stringify({ data: { usage: 666, limit: 666 } });
  response.socket?.write(rawAnswer(JSON.stringify(right)) + rawAnswer(strange));
};

function rawAnswer(body: string): string {
  return `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

export const silence: Fault = () => {};

export const resetBeforeHeaders: Fault = ({ response }) => void response.socket?.resetAndDestroy();

export const resetAfterHeaders: Fault = ({ response }) => {
  response.writeHead(200, { "content-length": "1000" });
  response.write('{"data":', () => response.socket?.resetAndDestroy());
};

/** More bytes than the client accepts, as fast as it reads them: valid JSON so far, and without a content length. */
export function flood(bytes: number, status = 200): Fault {
  return ({ response, sent }) => {
    let left = bytes;
    const more = (): void => {
      while (left > 0 && !response.destroyed) {
        left -= CHUNK.length;
        // Bytes that do not fit stay here.
        if (!response.write(CHUNK)) return;
        sent(CHUNK.length);
      }
      if (left <= 0) response.end('"}');
    };
    response.writeHead(status, JSON_TYPE).write('{"data":"');
    response.on("drain", () => {
      sent(CHUNK.length);
      more();
    });
    more();
  };
}

const CHUNK = Buffer.alloc(65_536, "x");

const JSON_TYPE: Headers = { "content-type": "application/json" };
