import { z } from "zod";
import type { Secret } from "../config/secret.ts";

/** The envelope of the contract (7) and its relatives (observed-behaviour 15): all have an `error` that says something. */
const Envelope = z.object({
  error: z.union([z.object({ message: z.string() }).transform(({ message }) => message), z.string()]),
});

const LONGEST_MESSAGE = 200;

/** What the service says went wrong, fit for one line of a log, or undefined when it says nothing readable. */
export function errorMessage(body: unknown, secret: Secret): string | undefined {
  const envelope = Envelope.safeParse(body);
  if (!envelope.success) return undefined;
  const printable = envelope.data.error.toWellFormed().replaceAll(UNPRINTABLE, " ").trim();
  // A service may repeat the credential that it refuses.
  const text = printable.replaceAll(secret.reveal(), secret.toString());
  if (text === "") return undefined;
  // A character is two UTF-16 units at most.
  const characters = Array.from(text.slice(0, 2 * (LONGEST_MESSAGE + 1)));
  return characters.length > LONGEST_MESSAGE ? `${characters.slice(0, LONGEST_MESSAGE).join("")}…` : text;
}

/** Control characters, line and paragraph separators, and what turns the direction of the text around it. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]+/gu;

/**
 * The value of a JSON text, undefined when it is not JSON (no JSON text means undefined). A service may repeat the
 * credential in any of its texts, a label that is shown or a warning: there it is concealed.
 */
export function parseJson(text: string, secret: Secret): unknown {
  try {
    // Looking at each value costs eight times the parsing.
    if (!mayHold(text, secret)) return JSON.parse(text);
    return JSON.parse(text, (_name, value: unknown) =>
      typeof value === "string" ? value.replaceAll(secret.reveal(), secret.toString()) : value,
    );
  } catch {
    return undefined;
  }
}

/** Whether a JSON text may spell the credential: as it must be written, or by escapes that nobody needs for it. */
function mayHold(text: string, secret: Secret): boolean {
  const spelled = JSON.stringify(secret.reveal()).slice(1, -1);
  return text.includes(spelled) || (text.includes("\\") && NEEDLESS_ESCAPE.test(text));
}

/** Of printable ASCII, which a credential is made of. */
const NEEDLESS_ESCAPE = /\\(?:u00[2-7]|\/)/;
