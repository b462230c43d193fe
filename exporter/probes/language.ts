/**
 * Whether the language of an answer is the expected one (ISO 639-1). Services write the same language as `en`, `eng`,
 * `en-US` or `English`.
 */
export function isLanguage(expected: string, detected: string): boolean {
  const written = detected.trim();
  if (written.toLowerCase() === nameOf(expected)?.toLowerCase()) return true;
  return codeOf(written) === expected;
}

/** The English name of a language. */
function nameOf(code: string): string | undefined {
  return new Intl.DisplayNames("en", { type: "language" }).of(code);
}

/** The primary part of a language tag; its two-letter code if the language has one. */
function codeOf(tag: string): string | undefined {
  try {
    return new Intl.Locale(tag.replaceAll("_", "-")).language;
  } catch {
    return undefined;
  }
}
