/** Safe HTML that needs no escaping. Parts of a long page are made only when it is written. */
export class Html {
  readonly pieces: readonly Piece[];

  constructor(...pieces: readonly Piece[]) {
    this.pieces = pieces;
  }

  toString(): string {
    return this.pieces.map(String).join("");
  }

  /** The same text; `pace` may let other work run between two parts. */
  async written(pace: () => Promise<void>): Promise<string> {
    let text = "";
    for (const piece of this.pieces) {
      if (typeof piece === "string") {
        text += piece;
        continue;
      }
      text += await piece.made().written(pace);
      await pace();
    }
    return text;
  }
}

/** HTML that is made later. */
export class Later {
  readonly made: () => Html;

  constructor(made: () => Html) {
    this.made = made;
  }

  toString(): string {
    return this.made().toString();
  }
}

type Piece = string | Later;
type Part = Html | Later | string | number | undefined | readonly (Html | Later)[];

/** Template tag that escapes every value except Html. Attributes must be quoted. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const pieces: Piece[] = [];
  for (let index = 0; index < strings.length; index++) {
    add(pieces, strings[index] ?? "");
    addPart(pieces, parts[index]);
  }
  return new Html(...pieces);
}

const LONGEST_FOREIGN = 160;

/** Control characters, including those that change the direction of the text after them. */
const UNPRINTABLE = /[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu;

/**
 * Text from the gateway or the configuration: its direction does not affect its surroundings, line ends and
 * other control characters are visible, and long text is cut. `/metrics` has all of it.
 */
export function foreign(text: string, longest = LONGEST_FOREIGN): Html {
  const visible = text.replaceAll(/\r\n|[\n\r\u2028\u2029]/g, "⏎").replaceAll(UNPRINTABLE, "�");
  const shown = visible.length > longest ? `${visible.slice(0, longest).trimEnd()}…` : visible;
  // The cut may have split a surrogate pair.
  return html`<bdi>${shown.replace(/[\uD800-\uDBFF]…$/, "…").toWellFormed()}</bdi>`;
}

function addPart(pieces: Piece[], part: Part): void {
  if (typeof part === "string") add(pieces, escapeText(part));
  else if (typeof part === "number") add(pieces, String(part));
  else if (part instanceof Html) for (const piece of part.pieces) add(pieces, piece);
  else if (part instanceof Later) pieces.push(part);
  else if (part) for (const each of part) addPart(pieces, each);
}

/** Adds to the last piece if both are texts. */
function add(pieces: Piece[], piece: Piece): void {
  const last = pieces.at(-1);
  if (typeof piece === "string" && typeof last === "string") pieces[pieces.length - 1] = last + piece;
  else pieces.push(piece);
}

/** Safe in text and in quoted attributes. */
function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
