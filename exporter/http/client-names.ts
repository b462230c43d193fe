import type { X509Certificate } from "node:crypto";
import { isIP, SocketAddress } from "node:net";

/**
 * Whether one of the certificate's subject alternative names equals an allowed text: the whole name, of the kind that
 * the text has. It reads the certificate's bytes, because a text of all names can be forged by a name within a name.
 * A certificate that is not encoded as X.509 requires has no names.
 */
export function hasAllowedName({ raw }: Pick<X509Certificate, "raw">, allowed: readonly string[]): boolean {
  const wanted = new Set(allowed.map(keyOfAllowed));
  try {
    return namesIn(raw).some((name) => wanted.has(keyOf(name)));
  } catch (error) {
    if (error instanceof EncodingError) return false;
    throw error;
  }
}

type Kind = "email" | "DNS" | "URI" | "IP";

interface Name {
  readonly kind: Kind;
  /** Addresses in the form of `SocketAddress`. */
  readonly text: string;
}

function keyOf({ kind, text }: Name): string {
  return `${kind} ${text}`;
}

/** A text has one kind, so that no name of another kind can imitate it. */
function keyOfAllowed(text: string): string {
  // No certificate has the zone of an address.
  if (isIP(text) > 0 && !text.includes("%")) return keyOf({ kind: "IP", text: canonical(text) });
  if (/^[a-z][a-z0-9+.-]*:/i.test(text)) return keyOf({ kind: "URI", text });
  return keyOf({ kind: text.includes("@") ? "email" : "DNS", text });
}

function canonical(address: string): string {
  return new SocketAddress({ address, family: isIP(address) === 6 ? "ipv6" : "ipv4" }).address;
}

/** Tags of RFC 5280, 4.1 and 4.2.1.6. */
const SEQUENCE = 0x30;
const OCTETS = 0x04;
const EXTENSIONS = 0xa3;
const ADDRESS = 0x87;
const TEXT_KINDS: ReadonlyMap<number, Kind> = new Map([
  [0x81, "email"],
  [0x82, "DNS"],
  [0x86, "URI"],
]);

/** The object identifier 2.5.29.17. */
const ALTERNATIVE_NAMES = "551d11";

/** @throws EncodingError */
function namesIn(certificate: Buffer): readonly Name[] {
  const [content] = elements(only(elements(certificate), SEQUENCE));
  const list = content?.tag === SEQUENCE ? elements(content.content) : [];
  const extensions = list
    .filter(({ tag }) => tag === EXTENSIONS)
    .flatMap((wrapper) => elements(only(elements(wrapper.content), SEQUENCE)))
    .map((extension) => elements(extension.content))
    .filter(([id]) => id?.content.toString("hex") === ALTERNATIVE_NAMES);
  // RFC 5280 allows one; which of two counts would be a guess.
  const value = extensions.length === 1 ? extensions[0]?.at(-1) : undefined;
  if (value?.tag !== OCTETS) return [];
  return elements(only(elements(value.content), SEQUENCE)).flatMap((element) => nameOf(element) ?? []);
}

/** Undefined: a name of a kind that nobody can allow. */
function nameOf({ tag, content }: Element): Name | undefined {
  if (tag === ADDRESS) return addressOf(content);
  const kind = TEXT_KINDS.get(tag);
  const text = content.toString("latin1");
  return kind !== undefined && /^[\x20-\x7e]+$/.test(text) ? { kind, text } : undefined;
}

function addressOf(bytes: Buffer): Name | undefined {
  if (bytes.length === 4) return { kind: "IP", text: bytes.join(".") };
  if (bytes.length !== 16) return undefined;
  return { kind: "IP", text: canonical(bytes.toString("hex").replace(/(.{4})(?!$)/g, "$1:")) };
}

/** One value of DER (X.690). */
interface Element {
  readonly tag: number;
  readonly content: Buffer;
}

class EncodingError extends Error {
  override readonly name = "EncodingError";
}

function only(found: readonly Element[], tag: number): Buffer {
  const [element] = found;
  if (found.length !== 1 || element?.tag !== tag) throw new EncodingError("Cannot read the certificate");
  return element.content;
}

/** The adjacent values that fill the bytes. @throws EncodingError */
function elements(bytes: Buffer): readonly Element[] {
  const found: Element[] = [];
  for (let at = 0; at < bytes.length;) {
    const first = bytes[at + 1] ?? 0;
    // From 128 on, the byte counts the bytes of the length. An indefinite length (128) is not DER.
    const lengthBytes = first < 128 ? 0 : first - 128;
    const start = at + 2 + lengthBytes;
    if (first === 128 || lengthBytes > 4 || start > bytes.length)
      throw new EncodingError("Cannot read a length");
    const length = lengthBytes === 0 ? first : bytes.readUIntBE(at + 2, lengthBytes);
    if (start + length > bytes.length) throw new EncodingError("Cannot read a value that is cut off");
    found.push({ tag: bytes[at] ?? 0, content: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return found;
}
