import {
  type Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
  visit,
  type ErrorCode,
} from "yaml";
import type { Finding } from "./rules.ts";

export interface ParsedYaml {
  /** The readable values; undefined if the text is not YAML. */
  readonly value: unknown;
  readonly findings: readonly Finding[];
  /** The line of a field, or of the section that lacks it, from 1; undefined for the file as a whole. */
  readonly lineOf: (path: readonly PropertyKey[]) => number | undefined;
}

/**
 * Converts YAML to plain values. Messages name the line and the column. Unlike the parser's own messages, they never
 * show the text, which may contain a secret.
 */
export function parseYaml(text: string): ParsedYaml {
  const lines = new LineCounter();
  const document = parseDocument(text, { ...OPTIONS, lineCounter: lines });
  const faults: Fault[] = [...document.errors, ...document.warnings].map(({ code, pos }) => ({
    position: pos[0],
    message: MESSAGES[code],
  }));
  const isReadable = document.errors.every(({ code }) => code === "DUPLICATE_KEY");
  const value = isReadable ? valueOf(document, faults) : undefined;
  return {
    value,
    findings: yamlFindings(faults, { text, document, lines }),
    lineOf: lineFinder(document, lines),
  };
}

const OPTIONS = {
  version: "1.2",
  merge: true,
  stringKeys: true,
  strict: true,
  prettyErrors: false,
  // "silent" would hide a second document.
  logLevel: "error",
} as const;

/** Enough for the repeated owners of thousands of keys, far too few for an attack by nested aliases. */
const MOST_ALIASES = 20_000;

function valueOf(document: Document.Parsed, faults: Fault[]): unknown {
  const unresolved = unresolvedAliases(document);
  faults.push(...unresolved);
  if (unresolved.length > 0) return undefined;
  try {
    const value: unknown = document.toJS({ maxAliasCount: MOST_ALIASES });
    return value;
  } catch {
    faults.push({
      position: undefined,
      message: "its aliases or merge keys (<<) cannot be resolved, or there are too many",
    });
    return undefined;
  }
}

function unresolvedAliases(document: Document.Parsed): readonly Fault[] {
  const anchors = new Set<string | undefined>();
  const unresolved: Fault[] = [];
  visit(document, {
    Value: (_key, { anchor }) => void anchors.add(anchor),
    Alias: (_key, { source, range }) => {
      if (anchors.has(source)) return;
      unresolved.push({ position: range?.[0], message: "an alias (*) has no anchor (&) before it" });
    },
  });
  return unresolved;
}

/** The line of a field or an entry, or of the nearest one around it. */
function lineFinder(document: Document.Parsed, lines: LineCounter): ParsedYaml["lineOf"] {
  return function lineOf(path): number | undefined {
    if (path.length === 0) return undefined;
    const step = path.at(-1);
    const parent = document.getIn(path.slice(0, -1), true);
    const isStep = ({ key }: Pair) => isScalar(key) && key.value === step;
    const node = isMap(parent)
      ? parent.items.findLast(isStep)?.key
      : isSeq(parent) && parent.items[Number(step)];
    return isNode(node) && node.range ? lines.linePos(node.range[0]).line : lineOf(path.slice(0, -1));
  };
}

/** Something that the parser does not accept. */
export interface Fault {
  readonly position: number | undefined;
  readonly message: string;
}

/** The text with what the parser has made of it. */
export interface FaultyText {
  readonly text: string;
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
}

/** The problems of a text, one per line: a mistake causes several faults, and only the first of them helps. */
function yamlFindings(faults: readonly Fault[], { text, document, lines }: FaultyText): readonly Finding[] {
  const messages = new Map<number, string>();
  for (const fault of faults) {
    const { position, message } = explanationOf(fault, text, document) ?? fault;
    const { line, col } = position === undefined ? { line: 0, col: 0 } : lines.linePos(position);
    if (!messages.has(line))
      messages.set(line, line === 0 ? message : `line ${line}, column ${col}: ${message}`);
  }
  return [...messages.values()].map((message) => ({ path: [], message }));
}

/** A better message, at a better place, for mistakes that the parser notices late. */
function explanationOf(
  { position, message }: Fault,
  text: string,
  document: Document.Parsed,
): Fault | undefined {
  if (position === undefined) return undefined;
  const start = text.lastIndexOf("\n", position - 1) + 1;
  const [line = ""] = text.slice(start).split("\n", 1);
  const star = UNQUOTED_STAR.exec(line);
  if (star) return { position: start + star.index + star[0].length - 1, message: UNQUOTED };
  return openQuote(document, { position, message, start });
}

/** A value that begins with a cron expression's star, which YAML takes for an alias. */
const UNQUOTED_STAR = /^[^#"']*?[-:,[{]\s+\*(?=[\s/,]|$)/;
const UNQUOTED = 'a value that begins with * must be in quotes, such as "*/5 * * * *"';

/** A quoted text whose closing quote is missing, or is the opening one of another text, in the line of the fault. */
function openQuote(
  document: Document.Parsed,
  {
    position,
    message,
    start,
  }: { readonly position: number; readonly message: string; readonly start: number },
): Fault | undefined {
  let fault: Fault | undefined;
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
