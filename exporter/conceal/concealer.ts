import { decodingsOf } from "./decoded.ts";
import { foldedCode } from "./gram.ts";
import { keyShapes } from "./key-shapes.ts";
import { mayHold } from "./quick-test.ts";
import { createSecretIndex } from "./secret-index.ts";
import { onlyView, type Span, viewsOf } from "./view.ts";

/** Finds secrets in texts from outside: remembered ones in every usual form, and whatever looks like a key. */
export interface Concealer {
  /** Remembers texts as long as their owner exists. */
  remember(owner: object, texts: readonly string[]): void;
  /** Whether a text reveals a secret. */
  holds(text: string): boolean;
  /** Replaces each part of a text that reveals a secret by the mark. */
  conceal(text: string, mark: string): string;
}

export function createConcealer(): Concealer {
  const index = createSecretIndex();

  function spansOf(text: string, depth = 0): readonly Span[] {
    const only = onlyView(text);
    if (only !== undefined && spansIn(only, depth).length === 0) return [];
    return viewsOf(text).flatMap((view) =>
      spansIn(view.text, depth).map(([first, last]): Span => [view.place(first)[0], view.place(last)[1]]),
    );
  }

  /** The spans of a text as it is written, and of what it encodes. */
  function spansIn(text: string, depth: number): readonly Span[] {
    const spans = [...keyShapes(text), ...wholes(text, index.literals())];
    if (!mayHold(text, index)) return spans;
    spans.push(...fragments(text));
    for (const decoded of decodingsOf(text)) {
      const found = [...fragments(decoded.text), ...(depth < DEEPEST ? nested(decoded.text, depth + 1) : [])];
      spans.push(...found.map(([first, last]): Span => [decoded.place(first)[0], decoded.place(last)[1]]));
    }
    return spans;
  }

  function fragments(text: string): readonly Span[] {
    const spans: Span[] = [];
    const { codes, places } = foldedText(text);
    index.search(codes, ({ first, last, isWhole, before, after }) => {
      const [start, end] = [places[first] ?? 0, places[last] ?? 0];
      if (isWhole && !isApart(text, [start, end])) return;
      const lead = text.slice(0, start).endsWith(before) ? before.length : 0;
      const trail = text.startsWith(after, end + 1) ? after.length : 0;
      spans.push([start - lead, end + trail]);
    });
    return spans;
  }

  function nested(text: string, depth: number): readonly Span[] {
    return [...text.matchAll(READABLE)].flatMap(({ 0: part, index: start }) =>
      spansOf(part, depth).map(([first, last]): Span => [start + first, start + last]),
    );
  }

  return {
    remember: (owner, texts) => {
      for (const text of texts) index.add(owner, text);
    },
    holds: (text) => spansOf(text).length > 0,
    conceal: (text, mark) => replaced(text, spansOf(text), mark),
  };
}

/** A secret may be encoded more than once. */
const DEEPEST = 3;

/** What was encoded on purpose is readable; what was not decodes to noise. */
const READABLE = /[\t\n\r -~]{12,}/g;

/** The letters and digits of a text, each with its place. */
function foldedText(text: string) {
  const codes = new Uint8Array(text.length);
  const places = new Uint32Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const code = foldedCode(text.charCodeAt(at));
    if (code === 0) continue;
    codes[length] = code;
    places[length++] = at;
  }
  return { codes: codes.subarray(0, length), places };
}

/** Whether no letter or digit adjoins a span. */
function isApart(text: string, [first, last]: Span): boolean {
  return foldedCode(text.charCodeAt(first - 1)) === 0 && foldedCode(text.charCodeAt(last + 1)) === 0;
}

function wholes(text: string, secrets: readonly string[]): readonly Span[] {
  const spans: Span[] = [];
  for (const secret of secrets) {
    for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + secret.length))
      spans.push([at, at + secret.length - 1]);
  }
  return spans;
}

function replaced(text: string, spans: readonly Span[], mark: string): string {
  if (spans.length === 0) return text;
  const parts: string[] = [];
  let end = 0;
  for (const [first, last] of spans.toSorted(([one], [other]) => one - other)) {
    if (last < end) continue;
    if (first >= end) parts.push(text.slice(end, first), mark);
    end = last + 1;
  }
  return [...parts, text.slice(end)].join("");
}
