import { z } from "zod";
import { redact } from "../secrets/redact.ts";

const LONGEST_MESSAGE = 200;

/**
 * The message of an error body in any of the forms that services use, made safe for one log line; undefined if the body
 * has no readable message: the envelope of the contract (7), the same nested, `message`, `detail` (FastAPI), an `error`
 * that is a text, `errors`, OAuth and RFC 9457.
 */
export function errorMessage(body: unknown): string | undefined {
  const sent = sentMessage(body);
  return sent === undefined ? undefined : safeLine(sent, LONGEST_MESSAGE);
}

function sentMessage(body: unknown, depth = 0): string | undefined {
  if (typeof body === "string") return body === "" || depth === 0 ? undefined : body;
  const fields = depth > MOST_NESTED ? undefined : Fields.safeParse([body].flat()[0]).data;
  if (!fields) return undefined;
  const { title, detail, error } = fields;
  if (typeof title === "string" && typeof detail === "string" && error === undefined)
    return `${title}: ${detail}`;
  return MESSAGES.map((name) => sentMessage(fields[name], depth + 1)).find((text) => text !== undefined);
}

/** FastAPI sends `detail` as a text, or as a list with `msg`; GraphQL and JSON:API send a list of `errors`. */
const MESSAGES = [
  "error_description",
  "message",
  "error",
  "errors",
  "msg",
  "detail",
  "reason",
  "title",
] as const;
const Fields = z.record(z.string(), z.unknown());
const MOST_NESTED = 4;

/** The title of an HTML page, empty without one; for XML, `XML` and its code; undefined: the body is neither. */
export function pageTitle(text: string): string | undefined {
  const head = text.slice(0, 20_000);
  if (/^\s*<\?xml(?![^]*<html)/i.test(head))
    return safeLine(`XML ${/<Code>([^<]*)/.exec(head)?.[1] ?? ""}`, LONGEST_NAME);
  if (!/^\s*<(?:!doctype html|html|head|body|!--)/i.test(head)) return undefined;
  return safeLine(/<title[^>]*>([^<]*)/i.exec(head)?.[1] ?? "", LONGEST_PART) ?? "";
}

/** The beginning of an answer that is not understood, made safe for one log line. */
export function beginningOf(text: string): string | undefined {
  // Without the zeros of UTF-16 a secret in it is found too.
  return safeLine(text.slice(0, 4096).replaceAll("\0", ""), LONGEST_PART);
}

const LONGEST_PART = 80;

/** What a refusal reports about the limit behind it, which may not appear in any other answer. */
export interface RefusalSource {
  /** Which limit: of the key, of the account, of the requests in flight, and so on. */
  readonly limitSource: string | undefined;
  readonly refusalReason: string | undefined;
  /** What else it says: whose limit, its amounts and reset, and what helps; absent: nothing. */
  readonly details?: readonly string[];
}

/** The limit behind a refusal (402, 403), made safe for one log line, as the service names it. */
export function refusalSource(body: unknown): RefusalSource {
  const source = RefusalBody.safeParse(body);
  const { limit_source: limitSource, reason, ...others } = source.data?.error.metadata ?? {};
  const details = Object.entries(others).flatMap(([field, value]) => {
    const text = value === undefined ? undefined : safeLine(String(value), LONGEST_DETAIL);
    return text === undefined ? [] : [`${field}: ${text}`];
  });
  return {
    limitSource: limitSource === undefined ? undefined : safeLine(limitSource, LONGEST_NAME),
    refusalReason: reason === undefined ? undefined : safeLine(reason, LONGEST_NAME),
    ...(details.length > 0 && { details }),
  };
}

const name = z.string().optional().catch(undefined);
const amount = z.union([z.string(), z.number()]).optional().catch(undefined);

/** These fields are not part of the contract. */
const RefusalBody = z.object({
  error: z.object({
    metadata: z.object({
      limit_source: name,
      reason: name,
      scope: name,
      limit_usd: amount,
      spend_usd: amount,
      resets_at: name,
      remedy_hint: name,
    }),
  }),
});
const LONGEST_DETAIL = 160;

/** Longer than any name that services are known to send. */
const LONGEST_NAME = 64;

function safeLine(sent: string, longest: number): string | undefined {
  // A service may echo any credential, which is found as a whole only, so the text is cut last.
  const safe = redact(sent);
  const text = safe.toWellFormed().replaceAll(UNPRINTABLE, " ").trim();
  if (text === "") return undefined;
  // A character is two UTF-16 units at most.
  const characters = Array.from(text.slice(0, 2 * (longest + 1)));
  return characters.length > longest ? `${characters.slice(0, longest).join("")}…` : text;
}

/** Control characters, line and paragraph separators, and characters that change the direction of the text. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]+/gu;
