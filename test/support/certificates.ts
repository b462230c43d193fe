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
}

/** A certificate authority for one test run, with P-256 keys, valid for a day around now. */
export function createAuthority(name = "test authority"): Authority {
  const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const build = (subject: string, publicKey: KeyObject, extensions: readonly Buffer[]) =>
    pem(
      "CERTIFICATE",
      certificate({ issuer: name, subject, publicKey, extensions, signer: keys.privateKey }),
    );
  return {
    cert: build(name, keys.publicKey, [extension("551d13", true, sequence(boolean(true)))]),
    key: keyText(keys.privateKey),
    issue: (...names) => {
      const own = generateKeyPairSync("ec", { namedCurve: "P-256" });
      const alternatives = extension("551d11", false, sequence(...names.map(generalName)));
      return {
        cert: build(names[0] ?? "nobody", own.publicKey, [alternatives]),
        key: keyText(own.privateKey),
      };
    },
  };
}

interface Content {
  readonly issuer: string;
  readonly subject: string;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
  readonly signer: KeyObject;
}

const DAY_MS = 86_400_000;

/** RFC 5280, 4.1. */
function certificate({ issuer, subject, publicKey, extensions, signer }: Content): Buffer {
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_WITH_SHA256,
    distinguishedName(issuer),
    sequence(time(Date.now() - DAY_MS), time(Date.now() + DAY_MS)),
    distinguishedName(subject),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(...extensions)),
  );
  return sequence(content, ECDSA_WITH_SHA256, bits(sign("sha256", content, signer)));
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const length =
    content.length < 128
      ? Buffer.from([content.length])
      : Buffer.from([0x82, content.length >> 8, content.length & 0xff]);
  return Buffer.concat([Buffer.from([tag]), length, content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, ...parts);
}

function objectId(hex: string): Buffer {
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

function distinguishedName(commonName: string): Buffer {
  return sequence(der(0x31, sequence(objectId("550403"), der(0x0c, Buffer.from(commonName)))));
}

function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\D/g, "").slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
}

/** RFC 5280, 4.2.1.6. */
function generalName(name: string): Buffer {
  if (isIP(name) === 4) return der(0x87, Buffer.from(name.split(".").map(Number)));
  if (isIP(name) === 6) return der(0x87, loopback6());
  if (name.includes("://")) return der(0x86, Buffer.from(name));
  return der(name.includes("@") ? 0x81 : 0x82, Buffer.from(name));
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
