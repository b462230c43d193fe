import { z } from "zod";
import { withoutSecrets } from "../config/secret.ts";

/** The envelope of the contract (7) and its variants (observed-behaviour 15): all have an `error` with a message. */
export const Envelope = z.object({
  error: z.union([z.object({ message: z.string() }).transform(({ message }) => message), z.string()]),
});

const LONGEST_MESSAGE = 200;

/** The message of an error body, made safe for one log line; undefined if the body has no readable message. */
export function errorMessage(body: unknown): string | undefined {
  const envelope = Envelope.safeParse(body);
  return envelope.success ? safeLine(envelope.data.error, LONGEST_MESSAGE) : undefined;
}

/** What a refusal reports about the limit behind it, which may not appear in any other answer. */
export interface RefusalSource {
  /** Which limit: of the key, of the account, of the requests in flight, and so on. */
  readonly limitSource: string | undefined;
  readonly refusalReason: string | undefined;
}

/** The limit behind a refusal (402, 403), made safe for one log line, as the service names it. */
export function refusalSource(body: unknown): RefusalSource {
  const source = RefusalBody.safeParse(body);
  const { limit_source: limitSource, reason } = source.data?.error.metadata ?? {};
  return {
    limitSource: limitSource === undefined ? undefined : safeLine(limitSource, LONGEST_NAME),
    refusalReason: reason === undefined ? undefined : safeLine(reason, LONGEST_NAME),
  };
}

const name = z.string().optional().catch(undefined);

/** These fields are not part of the contract. */
export const RefusalBody = z.object({
  error: z.object({ metadata: z.object({ limit_source: name, reason: name }) }),
});

/** Longer than any name that services are known to send. */
const LONGEST_NAME = 64;

function safeLine(sent: string, longest: number): string | undefined {
  // A service may echo any credential. What remains of one after the cut may be too short to be found, so it
  // is cut last.
  const safe = withoutSecrets(sent.slice(0, 10 * LONGEST_MESSAGE));
  const text = safe.toWellFormed().replaceAll(UNPRINTABLE, " ").trim();
  if (text === "") return undefined;
  // A character is two UTF-16 units at most.
  const characters = Array.from(text.slice(0, 2 * (longest + 1)));
  return characters.length > longest ? `${characters.slice(0, longest).join("")}…` : text;
}

/** Control characters, line and paragraph separators, and characters that change the direction of the text. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]+/gu;

/** What a body contains, or why it cannot be read, to complete "a body that …". */
export interface ParsedBody {
  readonly value?: unknown;
  readonly fault?: string;
}

/** Parses a body as JSON, unless that would take long. */
export function parseJson(bytes: Buffer): ParsedBody {
  if (hasTooManyValues(bytes)) return { fault: `has more than ${MOST_VALUES} values` };
  const text = bytes.toString();
  try {
    return { value: JSON.parse(text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text) };
  } catch {
    return { fault: "is not JSON" };
  }
}

/**
 * Parsing takes a millisecond per megabyte of text, but up to half a microsecond per value. The largest answer that
 * the gateway may give has a thousand rows of twelve columns.
 */
const MOST_VALUES = 50_000;

/** Whether a body has more commas and brackets than its values may need. */
function hasTooManyValues(bytes: Buffer): boolean {
  if (bytes.length <= MOST_VALUES) return false;
  let values = 0;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index];
    if (byte === COMMA || byte === BRACKET || byte === BRACE) values++;
  }
  return values > MOST_VALUES;
}

const [COMMA, BRACKET, BRACE] = [0x2c, 0x5b, 0x7b];
const BYTE_ORDER_MARK = 0xfe_ff;
