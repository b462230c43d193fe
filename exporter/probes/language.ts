/**
 * Whether an answer names the expected language (ISO 639-1). Services write the same language as `en`, `eng`, `en-US`
 * or `English`.
 */
export function isLanguage(expected: string, told: string): boolean {
  const written = told.trim();
  if (written.toLowerCase() === nameOf(expected)?.toLowerCase()) return true;
  return codeOf(written) === expected;
}

/** English name of a language. */
function nameOf(code: string): string | undefined {
  return new Intl.DisplayNames("en", { type: "language" }).of(code);
}

/** The primary part of a language tag, of two letters where the language has such a code. */
function codeOf(tag: string): string | undefined {
  try {
    return new Intl.Locale(tag.replaceAll("_", "-")).language;
  } catch {
    return undefined;
  }
}
