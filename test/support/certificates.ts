import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { isIP } from "node:net";

/** A certificate with its key, both PEM. */
export interface Issued {
  readonly cert: string;
  readonly key: string;
}

/** Signs certificates for the tests of this run. */
export interface Authority extends Issued {
  /**
   * `names` are the subject alternative names (SAN): addresses, URIs (`scheme://…`), e-mail addresses and host names.
   */
  issue(...names: readonly string[]): Issued;
  /** The same, valid for a day around another time than now. */
  issueAt(aroundMs: number, ...names: readonly string[]): Issued;
  /** The same with names as bytes, such as `generalName()` returns, for names that no authority should sign. */
  issueRaw(...names: readonly Buffer[]): Issued;
}

/** A certificate authority for one test run, with P-256 keys, valid for a day around now. */
export function createAuthority(name = "test authority"): Authority {
  const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const build = (content: Pick<Content, "subject" | "publicKey" | "extensions" | "aroundMs">) =>
    pem("CERTIFICATE", certificate({ ...content, issuer: name, signer: keys.privateKey }));
  const issue = (subject: string, extensions: readonly Buffer[], aroundMs?: number) => {
    const own = generateKeyPairSync("ec", { namedCurve: "P-256" });
    return {
      cert: build({ subject, publicKey: own.publicKey, extensions, aroundMs }),
      key: keyText(own.privateKey),
    };
  };
  const constraints = extension("551d13", true, sequence(boolean(true)));
  return {
    cert: build({ subject: name, publicKey: keys.publicKey, extensions: [constraints] }),
    key: keyText(keys.privateKey),
    issue: (...names) => issue(names[0] ?? "nobody", [alternativeNames(...names.map(nameOf))]),
    issueAt: (aroundMs, ...names) =>
      issue(names[0] ?? "nobody", [alternativeNames(...names.map(nameOf))], aroundMs),
    issueRaw: (...names) => issue("client", [alternativeNames(...names)]),
  };
}

/** The extension with the subject alternative names. */
function alternativeNames(...names: readonly Buffer[]): Buffer {
  return extension("551d11", false, sequence(...names));
}

interface Content {
  readonly issuer: string;
  readonly subject: string;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
  readonly signer: KeyObject;
  readonly aroundMs?: number | undefined;
}

const DAY_MS = 86_400_000;

/** RFC 5280, 4.1. */
function certificate({
  issuer,
  subject,
  publicKey,
  extensions,
  signer,
  aroundMs = Date.now(),
}: Content): Buffer {
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_WITH_SHA256,
    distinguishedName(issuer),
    sequence(time(aroundMs - DAY_MS), time(aroundMs + DAY_MS)),
    distinguishedName(subject),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(...extensions)),
  );
  return sequence(content, ECDSA_WITH_SHA256, bits(sign("sha256", content, signer)));
}

/** A value in the encoding of certificates (X.690). */
export function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const length =
    content.length < 128
      ? Buffer.from([content.length])
      : Buffer.from([0x82, content.length >> 8, content.length & 0xff]);
  return Buffer.concat([Buffer.from([tag]), length, content]);
}

export function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, ...parts);
}

export function objectId(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, "hex"));
}

function bits(content: Buffer): Buffer {
  return der(0x03, Buffer.from([0]), content);
}

function boolean(value: boolean): Buffer {
  return der(0x01, Buffer.from([value ? 0xff : 0]));
}

function extension(id: string, isCritical: boolean, content: Buffer): Buffer {
  return sequence(objectId(id), ...(isCritical ? [boolean(true)] : []), der(0x04, content));
}

/** A name that consists of a common name (CN). */
export function distinguishedName(commonName: string): Buffer {
  return sequence(der(0x31, sequence(objectId("550403"), der(0x0c, Buffer.from(commonName)))));
}

function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\D/g, "").slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
}

/** The tags of RFC 5280, 4.2.1.6. */
const NAME_TAGS = { email: 0x81, DNS: 0x82, URI: 0x86, IP: 0x87 } as const;

/** A name of a kind with any content. */
export function generalName(kind: keyof typeof NAME_TAGS, content: string | Uint8Array): Buffer {
  return der(NAME_TAGS[kind], Buffer.from(content));
}

function nameOf(name: string): Buffer {
  if (isIP(name) === 4) return generalName("IP", Buffer.from(name.split(".").map(Number)));
  if (isIP(name) === 6) return generalName("IP", loopback6());
  if (name.includes("://")) return generalName("URI", name);
  return generalName(name.includes("@") ? "email" : "DNS", name);
}

/** The only IPv6 address that tests need. */
function loopback6(): Buffer {
  return Buffer.concat([Buffer.alloc(15), Buffer.from([1])]);
}

const ECDSA_WITH_SHA256 = sequence(objectId("2a8648ce3d040302"));

function keyText(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}

function pem(label: string, content: Buffer): string {
  const lines = content.toString("base64").match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join("\n");
}
