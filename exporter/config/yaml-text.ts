import { setImmediate as pause } from "node:timers/promises";
import {
  Composer,
  type CST,
  type Document,
  type ErrorCode,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  Parser,
  visit,
} from "yaml";
import { pathText, type Problem } from "./problem.ts";
import { type Fault, MESSAGES, yamlProblems } from "./yaml-problems.ts";

export interface ParsedYaml {
  /** The readable values; undefined if the text is not YAML. */
  readonly value: unknown;
  readonly problems: readonly Problem[];
  /** The line of a field or an entry, such as `keys[3].name`, from 1; undefined if the text does not contain it. */
  readonly lineOf: (path: string) => number | undefined;
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
  let document: Document.Parsed | undefined;
  try {
    document = yield* documentIn(text, lines, faults);
    yield;
    if (document && faults.every(({ isWarning }) => isWarning)) value = valueOf(document, faults);
    yield;
  } catch {
    if (faults.length === 0) faults.push({ position: undefined, message: "cannot be read as YAML" });
  }
  return {
    value,
    problems: yamlProblems(faults, { text, document, lines }),
    lineOf: lineFinder(text.length <= LONGEST_LOCATED ? document : undefined, lines),
  };
}

/** The tokens, which need the most memory, end with this function. */
function* documentIn(
  text: string,
  lines: LineCounter,
  faults: Fault[],
): Generator<undefined, Document.Parsed | undefined> {
  const tokens = yield* tokensOf(text, lines, faults);
  return tokens && documentOf(tokens, text.length, faults);
}

/** The lines are collected when the first one is needed, which is only if the configuration is wrong. */
function lineFinder(document: Document.Parsed | undefined, lines: LineCounter): ParsedYaml["lineOf"] {
  let found: ReadonlyMap<string, number> | undefined;
  return (path) => {
    found ??= new Map(fieldsOf(document?.contents, [], lines));
    return found.get(path);
  };
}

function* fieldsOf(
  node: unknown,
  steps: readonly (string | number)[],
  lines: LineCounter,
): Generator<[path: string, line: number]> {
  if (steps.length > DEEPEST) return;
  for (const [step, key, value] of partsOf(node)) {
    const path = [...steps, step];
    if (isNode(key) && key.range) yield [pathText(path), lines.linePos(key.range[0]).line];
    yield* fieldsOf(value, path, lines);
  }
}

/** The fields of a mapping or the entries of a list: step, node that marks the place, value. */
function partsOf(node: unknown): readonly (readonly [step: string | number, key: unknown, value: unknown])[] {
  if (isSeq(node)) return node.items.map((item, index) => [index, item, item]);
  if (!isMap(node)) return [];
  return node.items.map(({ key, value }) => [String(isScalar(key) ? key.value : key), key, value]);
}

/** The document of a longer text, kept for its lines, would take more memory than the rest of a reload. */
const LONGEST_LOCATED = 512 * 1024;

/** Deeper than any field of the configuration. */
const DEEPEST = 8;

/** The most words, signs, spaces and line ends of a file; 10,000 keys with their owners have fewer. */
const MOST_PARTS = 500_000;
const TOO_LARGE = `is too large: it has more than ${MOST_PARTS} words, signs and line ends`;
/** About 20 ms. */
const PARTS_AT_ONCE = 10_000;

/** Undefined, with a fault: too many parts, or nested too deeply. */
function* tokensOf(
  text: string,
  lines: LineCounter,
  found: Fault[],
): Generator<undefined, CST.Token[] | undefined> {
  const parser = new Parser(lines.addNewLine);
  const tokens: CST.Token[] = [];
  let [parts, faults] = [0, 0];
  lines.addNewLine(0);
  for (const part of new Lexer().lex(text)) {
    for (const token of parser.next(part)) {
      tokens.push(token);
      if (token.type === "error" && ++faults === MOST_FAULTS) return tokens;
    }
    if (parser.stack.length > MOST_LEVELS) {
      found.push({ position: parser.offset, message: MESSAGES.RESOURCE_EXHAUSTION });
      return undefined;
    }
    if (++parts > MOST_PARTS) {
      found.push({ position: undefined, message: TOO_LARGE });
      return undefined;
    }
    if (parts % PARTS_AT_ONCE === 0) yield;
  }
  tokens.push(...parser.end());
  yield;
  return tokens;
}

/**
 * The composer calls itself for each level. At the end of the stack not every fault is an error that can be caught: a
 * regular expression that is compiled there ends the process.
 */
const MOST_LEVELS = 100;

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
