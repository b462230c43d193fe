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

/** Template tag: whatever is filled in is escaped, unless it is Html itself. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((text, index) => text + written(parts[index])).join(""));
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
