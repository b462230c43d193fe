/**
 * The normalisation `basic`: the words of a text, so that spelling which nobody hears makes no difference.
 * 1. Compatibility forms become plain ones (Unicode NFKC), capitals become small letters.
 * 2. Apostrophes and invisible characters are taken out: `don't` is `dont`.
 * 3. A word is a run of letters, marks and digits; everything else only separates.
 * 4. In scripts that are written without spaces each letter, with its marks, is a word.
 * Neither numbers nor abbreviations are written out, and no accents are dropped.
 */
export function wordsOf(text: string): readonly string[] {
  const plain = text.normalize("NFKC").toLowerCase().replaceAll(SILENT, "");
  return plain.match(WORD) ?? [];
}

/** Within or around a word these are not heard. */
const SILENT = /['’ʼ＇`\p{Cf}]/gu;

const UNSPACED = String.raw`[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]`;

const WORD = new RegExp(
  String.raw`(?=\p{L})${UNSPACED}\p{M}*|(?:(?!(?=\p{L})${UNSPACED})[\p{L}\p{M}\p{N}])+`,
  "gu",
);
