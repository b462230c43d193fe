import { NONE } from "../../readings/key-labels.ts";
import { keyAddress } from "../view.ts";

/** Safe HTML that needs no escaping. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

type Part = Html | string | number | undefined | readonly (Html | undefined)[];

/** Template tag that escapes every value except Html. Attributes must be quoted. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.reduce((text, next, index) => text + partText(parts[index - 1]) + next));
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

/** A label of the metrics; those in place of a name are words. */
export function labelled(label: string, what: string): Html {
  return label === NONE ? html`<span class="soft">no ${what}</span>` : foreign(label);
}

/** The first few of several names. */
export function namesText(names: readonly string[], most: number): Html {
  const shown = names
    .slice(0, most)
    .map((name, index) => html`${index === 0 ? "" : ", "}${foreign(name, 64)}`);
  const more = names.length - shown.length;
  return html`${shown}${more > 0 ? ` and ${more} more` : ""}`;
}

/** The name of a key as a link to its page. */
export function keyLink(name: string): Html {
  return html`<a href="${keyAddress(name)}">${foreign(name)}</a>`;
}

function partText(part: Part): string {
  if (part === undefined) return "";
  if (part instanceof Html) return part.text;
  return typeof part === "object" ? part.map(partText).join("") : escapeText(String(part));
}

/** Safe in text and in quoted attributes. */
function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
