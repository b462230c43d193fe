import { z } from "zod";
import { type Secret, withoutSecrets } from "../config/secret.ts";

/** The envelope of the contract (7) and its variants (observed-behaviour 15): all have an `error` with a message. */
const Envelope = z.object({
  error: z.union([z.object({ message: z.string() }).transform(({ message }) => message), z.string()]),
});

const LONGEST_MESSAGE = 200;

/** The message of an error body, made safe for one log line; undefined if the body has no readable message. */
export function errorMessage(body: unknown): string | undefined {
  const envelope = Envelope.safeParse(body);
  if (!envelope.success) return undefined;
  // A service may echo any credential. What remains of one after the cut may be too short to be found, so it is cut last.
  const safe = withoutSecrets(envelope.data.error.slice(0, 10 * LONGEST_MESSAGE));
  const text = safe.toWellFormed().replaceAll(UNPRINTABLE, " ").trim();
  if (text === "") return undefined;
  // A character is two UTF-16 units at most.
  const characters = Array.from(text.slice(0, 2 * (LONGEST_MESSAGE + 1)));
  return characters.length > LONGEST_MESSAGE ? `${characters.slice(0, LONGEST_MESSAGE).join("")}…` : text;
}

/** Control characters, line and paragraph separators, and characters that change the direction of the text. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]+/gu;

/**
 * The value of a JSON text; undefined when it is not JSON. A service may echo the credential in any string, such as a
 * warning or a label that is shown, so every occurrence is replaced.
 */
export function parseJson(text: string, secret: Secret): unknown {
  try {
    // A reviver makes parsing eight times slower.
    if (!mayHold(text, secret)) return JSON.parse(text);
    return JSON.parse(text, (_name, value: unknown) =>
      typeof value === "string" ? value.replaceAll(secret.reveal(), secret.toString()) : value,
    );
  } catch {
    return undefined;
  }
}

/** Whether a JSON text may contain the credential, written plainly or with unnecessary escapes. */
function mayHold(text: string, secret: Secret): boolean {
  const spelled = JSON.stringify(secret.reveal()).slice(1, -1);
  return text.includes(spelled) || (text.includes("\\") && NEEDLESS_ESCAPE.test(text));
}

/** Escapes of printable ASCII; a credential contains no other characters. */
const NEEDLESS_ESCAPE = /\\(?:u00[2-7]|\/)/;
