import { distance } from "fastest-levenshtein";
import { wordsOf } from "./words.ts";

/** More than any sensible answer has. What is beyond is not looked at: the rate is far above 1 by then. */
const MOST_CHARACTERS = 100_000;

/**
 * The word error rate of a heard text: the fewest words to insert, delete or substitute that make it the expected one,
 * divided by the expected words. Above 1 when more is heard than was said. Where nothing is expected each heard word is 1.
 */
export function wordErrorRate(expected: string, heard: string): number {
  const said = wordsOf(expected);
  // One character for each expected word; a word that is not expected matches none, so all those can share one.
  const symbols = new Map<string, string>();
  for (const word of said) if (!symbols.has(word)) symbols.set(word, String.fromCharCode(symbols.size + 1));
  const written = (words: readonly string[]) => words.map((word) => symbols.get(word) ?? UNEXPECTED).join("");
  return (
    distance(written(said), written(wordsOf(heard.slice(0, MOST_CHARACTERS)))) / Math.max(1, said.length)
  );
}

const UNEXPECTED = "\0";
