import { setImmediate as pause } from "node:timers/promises";
import {
  Composer,
  type CST,
  type Document,
  type ErrorCode,
  isScalar,
  Lexer,
  LineCounter,
  Parser,
  visit,
} from "yaml";
import type { Problem } from "./problem.ts";

export interface ParsedYaml {
  /** The readable values; undefined if the text is not YAML. */
  readonly value: unknown;
  readonly problems: readonly Problem[];
}

/**
 * Converts YAML to plain values. Messages name the line and the column. Unlike the parser's own messages, they never
 * show the text, which may contain a secret.
 */
export function parseYaml(text: string): ParsedYaml {
  const pieces = parsing(text);
  for (;;) {
    const { done, value } = pieces.next();
    if (done === true) return value;
  }
}

/** The same in pieces, between which scrapes are answered. */
export async function parseYamlInPieces(text: string): Promise<ParsedYaml> {
  const pieces = parsing(text);
  for (;;) {
    const { done, value } = pieces.next();
    if (done === true) return value;
    await pause();
  }
}

/** The text is bounded before it is understood: the parser needs time and memory for each part. */
function* parsing(text: string): Generator<undefined, ParsedYaml> {
  const lines = new LineCounter();
  const faults: Fault[] = [];
  let value: unknown;
  try {
    value = yield* valueIn(text, lines, faults);
  } catch {
    if (faults.length === 0) faults.push({ position: undefined, message: "cannot be read as YAML" });
  }
  return { value, problems: firstOfEachLine(faults, lines) };
}

function* valueIn(text: string, lines: LineCounter, faults: Fault[]): Generator<undefined, unknown> {
  const document = yield* documentIn(text, lines, faults);
  return document && faults.every(({ isWarning }) => isWarning) ? valueOf(document, faults) : undefined;
}

/** The tokens, which need the most memory, end with this function. */
function* documentIn(
  text: string,
  lines: LineCounter,
  faults: Fault[],
): Generator<undefined, Document.Parsed | undefined> {
  const tokens = yield* tokensOf(text, lines);
  if (tokens) return documentOf(tokens, text.length, faults);
  faults.push({ position: undefined, message: TOO_LARGE });
  return undefined;
}

/** Words, signs, spaces and line ends: more than 10,000 keys with their owners have. */
const MOST_PARTS = 500_000;
const TOO_LARGE = `is too large: it has more than ${MOST_PARTS} words, signs and line ends`;
/** About 20 ms. */
const PARTS_AT_ONCE = 10_000;

/** Undefined: too many parts. */
function* tokensOf(text: string, lines: LineCounter): Generator<undefined, CST.Token[] | undefined> {
  const parser = new Parser(lines.addNewLine);
  const tokens: CST.Token[] = [];
  let [parts, faults] = [0, 0];
  lines.addNewLine(0);
  for (const part of new Lexer().lex(text)) {
    for (const token of parser.next(part)) {
      tokens.push(token);
      if (token.type === "error" && ++faults === MOST_FAULTS) return tokens;
    }
    if (++parts > MOST_PARTS) return undefined;
    if (parts % PARTS_AT_ONCE === 0) yield;
  }
  tokens.push(...parser.end());
  yield;
  return tokens;
}

/**
 * The first document; a second one is an error.
 * @throws Error if there are too many faults
 */
function documentOf(tokens: readonly CST.Token[], length: number, faults: Fault[]): Document.Parsed {
  const composer = new Composer(OPTIONS);
  // Otherwise the parser creates an error for each fault, whose stacks exhaust time and memory.
  Reflect.set(composer, "onError", (source: FaultSource, code: ErrorCode, _: string, isWarning = false) => {
    const position = typeof source === "object" ? ("offset" in source ? source.offset : source[0]) : source;
    faults.push({ position, message: MESSAGES[code], isWarning });
    if (faults.length === MOST_FAULTS) throw new Error("Cannot read YAML with so many faults");
  });
  const [first, second] = composer.compose(tokens, true, length);
  if (!first) throw new Error("Cannot find a document");
  if (second) faults.push({ position: second.range[0], message: MESSAGES.MULTIPLE_DOCS });
  for (const { code, pos } of first.errors) faults.push({ position: pos[0], message: MESSAGES[code] });
  return first;
}

type FaultSource = number | readonly [number, ...number[]] | { readonly offset: number };

/** More than anybody reads. */
const MOST_FAULTS = 1000;

interface Fault {
  readonly position: number | undefined;
  readonly message: string;
  /** The value can be read nevertheless. */
  readonly isWarning?: boolean;
}

const OPTIONS = {
  version: "1.2",
  merge: true,
  stringKeys: true,
  strict: true,
  // The parser's own check compares each field with each other one.
  uniqueKeys: false,
  prettyErrors: false,
  // "silent" would hide a second document.
  logLevel: "error",
} as const;

/** Enough for the repeated owners of thousands of keys, far too few for an attack by nested aliases. */
const MOST_ALIASES = 20_000;
/** The parser looks for the anchor of an alias among all that precede it. */
const MOST_REFERENCES = 6000;

function valueOf(document: Document.Parsed, faults: Fault[]): unknown {
  const { isResolvable, duplicates, unresolved } = fieldsAndAliases(document);
  faults.push(...duplicates, ...unresolved);
  if (unresolved.length > 0) return undefined;
  try {
    if (!isResolvable) throw new Error("Cannot resolve so many aliases");
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

function fieldsAndAliases(document: Document.Parsed) {
  const anchors = new Set<string>();
  const [duplicates, unresolved]: [Fault[], Fault[]] = [[], []];
  let references = 0;
  const remember = ({ anchor }: { readonly anchor?: string | undefined }): void => {
    if (anchor === undefined) return;
    anchors.add(anchor);
    references += 1;
  };
  visit(document, {
    Map: (_key, node) => {
      remember(node);
      const names = new Set<unknown>();
      for (const { key } of node.items) {
        if (!isScalar(key)) continue;
        const position = key.range?.[0];
        if (names.has(key.value)) duplicates.push({ position, message: MESSAGES.DUPLICATE_KEY });
        names.add(key.value);
      }
    },
    Scalar: (_key, node) => remember(node),
    Seq: (_key, node) => remember(node),
    Alias: (_key, node) => {
      references += 1;
      if (anchors.has(node.source)) return;
      unresolved.push({ position: node.range?.[0], message: "an alias (*) has no anchor (&) before it" });
    },
  });
  return { isResolvable: references <= MOST_REFERENCES, duplicates, unresolved };
}

/** One mistake causes several errors. Only the first one in a line is useful. */
function firstOfEachLine(faults: readonly Fault[], lines: LineCounter): Problem[] {
  const messages = new Map<number, string>();
  for (const { position, message } of faults) {
    const { line, col } = position === undefined ? { line: 0, col: 0 } : lines.linePos(position);
    if (!messages.has(line))
      messages.set(line, line === 0 ? message : `line ${line}, column ${col}: ${message}`);
  }
  return [...messages.values()].map((message) => ({ path: "", message }));
}

const MESSAGES: Readonly<Record<ErrorCode, string>> = {
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
