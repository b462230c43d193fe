import { distance } from "fastest-levenshtein";

/**
 * The word error rate of a transcript: the fewest words to insert, delete or substitute that turn it into the
 * reference, divided by the number of reference words. It exceeds 1 when the transcript has many more words.
 * When the reference is empty, each word of the transcript counts 1.
 */
export function wordErrorRate(reference: string, transcript: string): number {
  const expected = wordsOf(reference);
  // One character for each expected word; all unexpected words share one, because they match nothing.
  const symbols = new Map<string, string>();
  for (const word of expected)
    if (!symbols.has(word)) symbols.set(word, String.fromCharCode(symbols.size + 1));
  const written = (words: readonly string[]) => words.map((word) => symbols.get(word) ?? UNEXPECTED).join("");
  return (
    distance(written(expected), written(wordsOf(transcript.slice(0, MOST_CHARACTERS)))) /
    Math.max(1, expected.length)
  );
}

const UNEXPECTED = "\0";

/** More than any sensible transcript has. The rest is ignored, because the rate is far above 1 already. */
const MOST_CHARACTERS = 100_000;

/**
 * The normalisation `basic`: the words of a text, without inaudible differences in spelling.
 * 1. Compatibility forms become plain ones (Unicode NFKC); upper case becomes lower case.
 * 2. Apostrophes and invisible characters are removed: `don't` becomes `dont`.
 * 3. A word is a run of letters, marks and digits; everything else separates words.
 * 4. In scripts without spaces each letter, with its marks, is a word. Numbers and abbreviations are not spelled out,
 * and accents stay.
 */
function wordsOf(text: string): readonly string[] {
  const plain = text.normalize("NFKC").toLowerCase().replaceAll(SILENT, "");
  return plain.match(WORD) ?? [];
}

/** Characters that cannot be heard within or around a word. */
const SILENT = /['’ʼ＇`\p{Cf}]/gu;

const UNSPACED = String.raw`[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]`;

const WORD = new RegExp(
  String.raw`(?=\p{L})${UNSPACED}\p{M}*|(?:(?!(?=\p{L})${UNSPACED})[\p{L}\p{M}\p{N}])+`,
  "gu",
);
