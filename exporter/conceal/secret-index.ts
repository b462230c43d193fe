import { foldedCode, foldedCodes, GRAM, gramAt, nextGram } from "./gram.ts";
import { createGramTable } from "./gram-table.ts";

/**
 * Finds fragments of secrets in a text, in time that does not depend on the number of secrets. A secret is entered with
 * every third group of six characters, so any eight of its characters in a row contain an entry, which the secret
 * itself then confirms. The index keeps no secret: it asks the owners, to which it has weak references.
 */
export interface SecretIndex {
  /** Remembers a text as long as its owner exists. */
  add(owner: object, text: string): void;
  /** Calls back with each fragment among folded characters, in both directions. */
  search(folded: Uint8Array, found: (fragment: Fragment) => void): void;
  /** Whether a group of characters is an entry. */
  has(gram: number): boolean;
  /** The secrets that have too few letters and digits for `search`. */
  literals(): readonly string[];
}

/** A part of a secret. */
export interface Fragment {
  /** Its first and last position. */
  readonly first: number;
  readonly last: number;
  /** It is a whole short secret, which may also be a part of ordinary words. */
  readonly isWhole: boolean;
  /** The other characters of the secret that adjoin the fragment. */
  readonly before: string;
  readonly after: string;
}

const FIRST_LETTER = foldedCode("a".charCodeAt(0));

/** Letters and digits of a secret that are concealed wherever they stand together. */
const FRAGMENT = 8;
/** Dates and counters have fewer digits in a row. */
const DIGITS = 12;
/** A shorter secret is concealed as a whole only: its fragments are like ordinary words. */
const LONG = 16;
const STRIDE = FRAGMENT - GRAM + 1;
/** A place is the number of a secret and the number of a group within it. */
const GROUPS = 2048;

/** One secret, which may have several owners: a source and the configuration that replaces it at a reload. */
interface Entry {
  readonly digest: number;
  owners: readonly WeakRef<object>[];
}

export function createSecretIndex(): SecretIndex {
  const texts = new WeakMap<object, readonly string[]>();
  let table = createGramTable();
  let entries: (Entry | undefined)[] = [];
  let byDigest = new Map<number, number>();
  const short = new Set<Entry>();
  const collected = new FinalizationRegistry<Entry>(forget);

  function add(owner: object, text: string): void {
    const known = texts.get(owner);
    if (text === "" || known?.includes(text) === true) return;
    texts.set(owner, known ? [...known, text] : [text]);
    const digest = digestOf(text);
    const twin = entries[byDigest.get(digest) ?? NOWHERE];
    const reference = new WeakRef(owner);
    if (twin && textOf(twin) === text) {
      twin.owners = [...twin.owners, reference];
      return collected.register(owner, twin);
    }
    const entry = { digest, owners: [reference] };
    enter(entry, text);
    collected.register(owner, entry);
  }

  function enter(entry: Entry, text: string): void {
    const number = entries.push(entry) - 1;
    byDigest.set(entry.digest, number);
    const secret = canonical(text);
    const { codes, publicLength } = secret;
    if (codes.length < GRAM) return void short.add(entry);
    const groups = isLong(secret) ? Math.floor((codes.length - publicLength - GRAM) / STRIDE) : 0;
    for (let group = 0; group <= Math.min(groups, GROUPS - 1); group++)
      table.insert(gramAt(codes, publicLength + group * STRIDE), number * GROUPS + group);
  }

  function forget(entry: Entry): void {
    entry.owners = entry.owners.filter((owner) => owner.deref());
    const number = byDigest.get(entry.digest);
    if (entry.owners.length > 0 || number === undefined || entries[number] !== entry) return;
    byDigest.delete(entry.digest);
    short.delete(entry);
    entries[number] = undefined;
    if (entries.length > 2 * byDigest.size) rebuild();
  }

  function rebuild(): void {
    const former = entries;
    [table, entries, byDigest] = [createGramTable(), [], new Map()];
    for (const entry of former) {
      const text = entry && textOf(entry);
      if (entry && text !== undefined) enter(entry, text);
    }
  }

  function textOf({ owners, digest }: Entry): string | undefined {
    for (const reference of owners) {
      const owner = reference.deref();
      const known = (owner && texts.get(owner)) ?? [];
      const text = known.length === 1 ? known[0] : known.find((each) => digestOf(each) === digest);
      if (text !== undefined) return text;
    }
    return undefined;
  }

  /** Undefined: the secret is forgotten. */
  function canonicalOf(number: number): Canonical | undefined {
    const entry = entries[number];
    const text = entry && textOf(entry);
    return text === undefined ? undefined : canonical(text);
  }

  function search(folded: Uint8Array, found: (fragment: Fragment) => void): void {
    if (byDigest.size === 0) return;
    searchForward(folded, found);
    const end = folded.length - 1;
    searchForward(folded.toReversed(), ({ first, last, ...fragment }) =>
      found({ ...fragment, first: end - last, last: end - first }),
    );
  }

  function searchForward(folded: Uint8Array, found: (fragment: Fragment) => void): void {
    let gram = 0;
    let reported = -1;
    let latest: { readonly number: number; readonly secret: Canonical | undefined } | undefined;
    for (let at = 0; at < folded.length; at++) {
      gram = nextGram(gram, folded[at] ?? 0);
      if (at < GRAM - 1 || at <= reported) continue;
      for (let index = table.find(gram); index >= 0; index = table.find(gram, index)) {
        const [number, group] = [Math.floor(table.placeAt(index) / GROUPS), table.placeAt(index) % GROUPS];
        if (latest?.number !== number) latest = { number, secret: canonicalOf(number) };
        const { secret } = latest;
        const match = secret && extended(folded, at - GRAM + 1, secret, secret.publicLength + group * STRIDE);
        if (!match || match.last <= reported) continue;
        reported = match.last;
        found(match);
      }
    }
  }

  return {
    add,
    search,
    has: (gram) => table.find(gram) >= 0,
    literals: () => [...short].flatMap((entry) => textOf(entry) ?? []),
  };
}

/** A secret and its letters and digits, folded. */
interface Canonical {
  readonly text: string;
  readonly codes: Uint8Array;
  /** How many of them belong to the beginning that all keys of a service share. */
  readonly publicLength: number;
}

function canonical(secret: string): Canonical {
  const text = secret.startsWith("-----") ? secret.replaceAll(ARMOR, "") : secret;
  const codes = foldedCodes(text);
  const publicLength = foldedCodes(PUBLIC.exec(text)?.[0] ?? "").length;
  return { text, codes, publicLength: codes.length - publicLength >= LONG ? publicLength : 0 };
}

/** `sk-or-v1-`, `sk-proj-`, `gsk_`. */
const PUBLIC = /^[a-z]{2,6}[-_](?:[a-z\d]{1,6}[-_]){0,2}/;
/** The first and the last line of a private key. */
const ARMOR = /-----[A-Z ]{1,40}-----/g;

function isLong({ codes, publicLength }: Canonical): boolean {
  return codes.length - publicLength >= LONG;
}

/** The whole match around a group; undefined if it is too short to be secret. */
function extended(folded: Uint8Array, at: number, secret: Canonical, start: number): Fragment | undefined {
  const { codes, publicLength } = secret;
  let before = 0;
  while (before < Math.min(at, start) && folded[at - before - 1] === codes[start - before - 1]) before++;
  let length = 0;
  while (start + length < codes.length && folded[at + length] === codes[start + length]) length++;
  const isWhole = before + length === codes.length;
  const secretPart = codes.subarray(Math.max(publicLength, start - before), start + length);
  const least = secretPart.every((code) => code < FIRST_LETTER) ? DIGITS : FRAGMENT;
  if (isLong(secret) ? secretPart.length < least : !isWhole) return undefined;
  return {
    first: at - before,
    last: at + length - 1,
    isWhole: !isLong(secret),
    before: before === start ? leadOf(secret.text) : "",
    after: start + length === codes.length ? trailOf(secret.text) : "",
  };
}

/** What precedes the first letter or digit. */
function leadOf(text: string): string {
  let end = 0;
  while (end < text.length && foldedCode(text.charCodeAt(end)) === 0) end++;
  return text.slice(0, end);
}

/** What follows the last one. */
function trailOf(text: string): string {
  let start = text.length;
  while (start > 0 && foldedCode(text.charCodeAt(start - 1)) === 0) start--;
  return text.slice(start);
}

/** A number for finding a text again. */
function digestOf(text: string): number {
  let digest = 0;
  for (let at = 0; at < text.length; at++) digest = Math.imul(digest ^ text.charCodeAt(at), 0x01_00_01_93);
  return digest >>> 2;
}

const NOWHERE = -1;
