/** A piece of HTML that may stand as it is. */
export class Html {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

type Part = Html | string | number | undefined | readonly Html[];

/** Template tag: whatever is filled in is escaped, unless it is Html itself. Attributes must be quoted. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((text, index) => text + written(parts[index])).join(""));
}

const LONGEST_FOREIGN = 160;

/** Control characters, and those that turn the direction of what follows. */
const UNPRINTABLE = /[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu;

/**
 * Text that somebody else wrote: its direction cannot spill over, line ends and other control characters are visible,
 * and it ends before it fills the page. The whole of it is on `/metrics`.
 */
export function foreign(text: string, longest = LONGEST_FOREIGN): Html {
  const visible = text.replaceAll(/\r\n|[\n\r\u2028\u2029]/g, "⏎").replaceAll(UNPRINTABLE, "�");
  const shown = visible.length > longest ? `${visible.slice(0, longest).trimEnd()}…` : visible;
  // A pair of surrogates may have been cut in two.
  return html`<bdi>${shown.replace(/[\uD800-\uDBFF]…$/, "…").toWellFormed()}</bdi>`;
}

function written(part: Part): string {
  if (part === undefined) return "";
  if (part instanceof Html) return part.toString();
  if (typeof part === "string" || typeof part === "number") return escapeText(String(part));
  return part.map(String).join("");
}

/** Safe in text and in quoted attributes. */
function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
