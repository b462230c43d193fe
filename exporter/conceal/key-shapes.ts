import type { Span } from "./view.ts";

/** The parts of a text that look like a credential of a known kind, although nobody configured it. */
export function keyShapes(text: string): readonly Span[] {
  if (!HINT.test(text)) return [];
  return SHAPES.flatMap(({ shape, isRandom }) =>
    [...text.matchAll(shape)].flatMap(({ 0: found, index }) =>
      !isRandom || looksRandom(found) ? [[index, index + found.length - 1] as const] : [],
    ),
  );
}

/** A part of every shape, because nearly no text has one. */
const HINT =
  /[sprg]k[-_]|(?:xai|pat|npm|pypi|xox.)[-_]|(?:hf|r8|gh.)_|bearer|basic|aiza|a[ks]ia|ya29|eyj|private|\$2|:\/\//i;

/** Every repetition is bounded or followed by nothing, so that no text takes more than linear time. */
const SHAPES: readonly { readonly shape: RegExp; readonly isRandom: boolean }[] = [
  {
    shape:
      /(?<![a-z\d])(?:(?:sk|pk|rk|gsk|xai|github_pat|glpat|npm|pypi|xox[a-z])[-_]|(?:hf|r8|gh[oprsu])_)[\w-]{16,}/gi,
    isRandom: true,
  },
  { shape: /(?<=\b(?:bearer|basic)\s{1,4})[\w.~+/=-]{16,}/gi, isRandom: true },
  {
    shape: /(?<![A-Za-z\d])(?:AIza[\w-]{35}|A[KS]IA[A-Z\d]{16}(?![A-Za-z\d])|ya29\.[\w-]{20,})/g,
    isRandom: false,
  },
  // A JSON web token
  { shape: /(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}(?:\.[\w-]+)?/g, isRandom: false },
  { shape: /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*/g, isRandom: false },
  { shape: /\$2[abxy]\$\d\d\$[./A-Za-z\d]{53}/g, isRandom: false },
  { shape: /(?<=:\/\/)[^\s/@:]{0,256}:[^\s/@]{1,256}(?=@)/g, isRandom: false },
];

/** Whether a part without separators changes often between lower case, upper case and digits, unlike words. */
function looksRandom(text: string): boolean {
  return text.split(/[^A-Za-z\d]+/).some((part) => {
    const kinds = part
      .replaceAll(/[a-z]+/g, "a")
      .replaceAll(/[A-Z]+/g, "A")
      .replaceAll(/\d+/g, "1");
    return part.length >= 16 && kinds.length >= 5;
  });
}
