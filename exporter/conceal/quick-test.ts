import { BASE64, HEXADECIMAL, NONE } from "./decoded.ts";
import { foldedCode, GRAM, nextGram, nextGramBackward } from "./gram.ts";
import type { SecretIndex } from "./secret-index.ts";

/**
 * Whether a text may contain a fragment of a secret: written in either direction, or in base64 or hexadecimal
 * digits, or something readable in those. Nearly every text contains nothing, so this test reads it once and
 * creates nothing.
 */
export function mayHold(whole: string, index: Pick<SecretIndex, "has">): boolean {
  // Only ASCII counts, and the loop is slow.
  const text = whole.replaceAll(NOT_ASCII, "");
  let [six, sixes, four, fours] = [0, 0, 0, 0];
  for (const stream of STREAMS) stream.restart();
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (PLAIN.add(code, index)) return true;
    const digit = BASE64[code] ?? NONE;
    if (digit !== NONE) {
      six = ((six << 6) | digit) & 0xff_ff_ff;
      const phase = BASE64_PHASES[sixes++ % 4];
      if (phase && sixes >= 4 && phase.addThree(six, index)) return true;
    }
    const hexDigit = HEXADECIMAL[code] ?? NONE;
    if (hexDigit !== NONE) {
      four = ((four << 4) | hexDigit) & 0xff;
      const phase = HEX_PHASES[fours++ % 2];
      if (phase && fours >= 2 && phase.addByte(four, index)) return true;
    }
  }
  return false;
}

const NOT_ASCII = /[^ -~]+/g;

/** What is encoded on purpose is readable for longer; what is not decodes to noise. */
const READABLE = 12;

/** A sequence of characters with its latest group. */
class Stream {
  #gram = 0;
  #backward = 0;
  #length = 0;
  #readable = 0;

  restart(): void {
    this.#length = 0;
    this.#readable = 0;
  }

  /** Adds a character; whether its group is an entry. */
  add(code: number, index: Pick<SecretIndex, "has">): boolean {
    const folded = foldedCode(code);
    if (folded === 0) return false;
    this.#gram = nextGram(this.#gram, folded);
    this.#backward = nextGramBackward(this.#backward, folded);
    return ++this.#length >= GRAM && (index.has(this.#gram) || index.has(this.#backward));
  }

  addByte(code: number, index: Pick<SecretIndex, "has">): boolean {
    this.#readable =
      (code >= 0x20 && code <= 0x7e) || (code >= 0x09 && code <= 0x0d) ? this.#readable + 1 : 0;
    return this.#readable >= READABLE || this.add(code, index);
  }

  addThree(bytes: number, index: Pick<SecretIndex, "has">): boolean {
    const [first, second] = [this.addByte(bytes >> 16, index), this.addByte((bytes >> 8) & 0xff, index)];
    return this.addByte(bytes & 0xff, index) || first || second;
  }
}

const PLAIN = new Stream();
const BASE64_PHASES = [new Stream(), new Stream(), new Stream(), new Stream()];
const HEX_PHASES = [new Stream(), new Stream()];
const STREAMS = [PLAIN, ...BASE64_PHASES, ...HEX_PHASES];
