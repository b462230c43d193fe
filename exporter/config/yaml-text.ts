import { LineCounter, parseDocument, visit, type Document, type ErrorCode } from "yaml";
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
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, { ...OPTIONS, lineCounter: lines });
    const faults: Fault[] = [...document.errors, ...document.warnings].map(({ code, pos }) => ({
      position: pos[0],
      message: MESSAGES[code],
    }));
    const isReadable = document.errors.every(({ code }) => code === "DUPLICATE_KEY");
    const value = isReadable ? valueOf(document, faults) : undefined;
    return { value, problems: firstOfEachLine(faults, lines) };
  } catch {
    return { value: undefined, problems: [{ path: "", message: "cannot be read as YAML" }] };
  }
}

interface Fault {
  readonly position: number | undefined;
  readonly message: string;
}

const OPTIONS = {
  version: "1.2",
  merge: true,
  stringKeys: true,
  strict: true,
  uniqueKeys: true,
  prettyErrors: false,
  // "silent" would hide a second document.
  logLevel: "error",
} as const;

/** Enough for the repeated owners of thousands of keys, far too few for an attack by nested aliases. */
const MOST_ALIASES = 20_000;

function valueOf(document: Document.Parsed, faults: Fault[]): unknown {
  const unresolved = unresolvedAliases(document);
  if (unresolved.length > 0) {
    faults.push(...unresolved);
    return undefined;
  }
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

function unresolvedAliases(document: Document.Parsed): Fault[] {
  const anchors = new Set<string>();
  const faults: Fault[] = [];
  visit(document, {
    Node: (_key, node) => {
      if ("anchor" in node && typeof node.anchor === "string") anchors.add(node.anchor);
    },
    Alias: (_key, node) => {
      if (anchors.has(node.source)) return;
      faults.push({ position: node.range?.[0], message: "an alias (*) has no anchor (&) before it" });
    },
  });
  return faults;
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
