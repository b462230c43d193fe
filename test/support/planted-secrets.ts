import { createHash } from "node:crypto";

/** A secret for a test, the same for the same name. It looks like the secrets that services issue. */
export function planted(name: string): string {
  return `${PREFIX}${createHash("sha256").update(`planted ${name}`).digest("hex")}`;
}

/** Finds fragments of secrets in an output, with their context. Secrets are given by name. */
export function leaksOf(output: string, secrets: Iterable<readonly [string, string]>): readonly string[] {
  const seen = new Set<string>();
  for (let index = 0; index + FRAGMENT <= output.length; index++)
    seen.add(output.slice(index, index + FRAGMENT));
  return [...secrets].flatMap(([name, secret]) => {
    const found = formsOf(secret)
      .flatMap(fragments)
      .find((fragment) => seen.has(fragment));
    return found === undefined ? [] : [`${name}: ${context(output, found)}`];
  });
}

const PREFIX = "sk-or-v1-";

/** Ten equal characters in a row are no coincidence, in plain text, hexadecimal or base64. */
const FRAGMENT = 10;

function formsOf(secret: string): readonly string[] {
  const own = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret;
  return [own, Buffer.from(own).toString("hex"), ...[0, 1, 2].map((shift) => base64(secret, shift))];
}

/** Without the characters at both ends, which depend on the surrounding text. */
function base64(secret: string, shift: number): string {
  return Buffer.from("x".repeat(shift) + secret)
    .toString("base64")
    .slice(16, -4);
}

function fragments(form: string): readonly string[] {
  return Array.from({ length: Math.max(0, form.length - FRAGMENT + 1) }, (_, index) =>
    form.slice(index, index + FRAGMENT),
  );
}

function context(output: string, fragment: string): string {
  const at = output.indexOf(fragment);
  return output.slice(Math.max(0, at - 150), at + 80);
}
