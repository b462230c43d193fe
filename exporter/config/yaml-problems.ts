import { type Document, type ErrorCode, type LineCounter, visit } from "yaml";
import type { Problem } from "./problem.ts";

/** Something that the parser does not accept. */
export interface Fault {
  readonly position: number | undefined;
  readonly message: string;
  /** The value can be read nevertheless. */
  readonly isWarning?: boolean;
}

/** The text with what the parser has made of it. */
export interface FaultyText {
  readonly text: string;
  /** Absent if it could not be made. */
  readonly document: Document.Parsed | undefined;
  readonly lines: LineCounter;
}

/** The problems of a text, one per line: a mistake causes several faults, and only the first of them helps. */
export function yamlProblems(
  faults: readonly Fault[],
  { text, document, lines }: FaultyText,
): readonly Problem[] {
  const messages = new Map<number, string>();
  for (const [index, fault] of faults.entries()) {
    const explanation = index < MOST_EXPLAINED ? explanationOf(fault, text, document) : undefined;
    const { position, message } = explanation ?? fault;
    const { line, col } = position === undefined ? { line: 0, col: 0 } : lines.linePos(position);
    if (!messages.has(line))
      messages.set(line, line === 0 ? message : `line ${line}, column ${col}: ${message}`);
  }
  return [...messages.values()].map((message) => ({ path: "", message }));
}

/** Each explanation reads the whole document, and a mistake is at the first faults. */
const MOST_EXPLAINED = 10;

/** A better message, at a better place, for mistakes that the parser notices late. */
function explanationOf(
  { position, message }: Fault,
  text: string,
  document: Document.Parsed | undefined,
): Fault | undefined {
  if (position === undefined) return undefined;
  const start = text.lastIndexOf("\n", position - 1) + 1;
  const [line = ""] = text.slice(start, start + LONGEST_LINE).split("\n", 1);
  const star = UNQUOTED_STAR.exec(line);
  if (star) return { position: start + star.index + star[0].length - 1, message: UNQUOTED };
  return openQuote(document, { position, message, start });
}

/** A value that begins with a cron expression's star, which YAML takes for an alias. */
const UNQUOTED_STAR = /^[^#"']*?[-:,[{]\s+\*(?=[\s/,]|$)/;
const UNQUOTED = 'a value that begins with * must be in quotes, such as "*/5 * * * *"';
const LONGEST_LINE = 1000;

/** A quoted text whose closing quote is missing, or is the opening one of another text, in the line of the fault. */
function openQuote(
  document: Document.Parsed | undefined,
  {
    position,
    message,
    start,
  }: { readonly position: number; readonly message: string; readonly start: number },
): Fault | undefined {
  let fault: Fault | undefined;
  if (!document) return undefined;
  visit(document, {
    Scalar: (_key, { type, range }) => {
      if (!range || (type !== "QUOTE_DOUBLE" && type !== "QUOTE_SINGLE")) return undefined;
      const [opens, closes] = range;
      const isAround = opens <= position && position <= closes && message === MESSAGES.MISSING_CHAR;
      if (!isAround && (opens >= start || closes < start)) return undefined;
      fault = { position: opens, message: "a quote that opens here is not closed in its line" };
      return visit.BREAK;
    },
  });
  return fault;
}

/** By the code of the parser, whose own messages show the text. */
export const MESSAGES: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: "an alias (*) must not have an anchor or a tag",
  BAD_ALIAS: "an alias (*) or an anchor (&) has no valid name",
  BAD_COLLECTION_TYPE: "a tag (!) does not fit its value",
  BAD_DIRECTIVE: "a directive (%) is not known",
  BAD_DQ_ESCAPE: "a text in double quotes has an unknown escape (\\); single quotes have none",
  BAD_INDENT: "the indentation does not fit, or a bracket is not closed",
  BAD_PROP_ORDER: "an anchor (&) or a tag (!) is in the wrong place",
  BAD_SCALAR_START: "a text must not begin with this character; put it in quotes",
  BLOCK_AS_IMPLICIT_KEY: "a second colon in one line; put a text that contains one in quotes",
  BLOCK_IN_FLOW: "a block must not be inside brackets",
  DUPLICATE_KEY: "a mapping has the same field twice",
  IMPOSSIBLE: "cannot be read as YAML",
  KEY_OVER_1024_CHARS: "the name of a field is longer than 1024 characters",
  MISSING_CHAR: "a character is missing, such as a closing quote, a bracket, a comma or the colon of a field",
  MULTILINE_IMPLICIT_KEY: "the name of a field must be on one line and be followed by a colon",
  MULTIPLE_ANCHORS: "a value has more than one anchor (&)",
  MULTIPLE_DOCS: "the file contains more than one document (---)",
  MULTIPLE_TAGS: "a value has more than one tag (!)",
  NON_STRING_KEY: "the name of a field must be a text",
  RESOURCE_EXHAUSTION: "mappings and lists are nested too deeply",
  TAB_AS_INDENT: "tabs must not be used as indentation",
  TAG_RESOLVE_FAILED: "a tag (!) is not known",
  UNEXPECTED_TOKEN: "something here is out of place",
};
