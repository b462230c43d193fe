import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

import type { Certificate } from "./faulty-gateway.ts";

/** A self-signed certificate for `localhost` (RFC 5280), valid from 2020 to 2049. */
export function createSelfSigned(): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const name = sequence(set(sequence(COMMON_NAME, der(0x0c, Buffer.from("localhost")))));
  const validity = sequence(utcTime("200101000000Z"), utcTime("491231235959Z"));
  const alternativeNames = sequence(der(0x82, Buffer.from("localhost")));
  const extensions = sequence(sequence(SUBJECT_ALT_NAME, der(0x04, alternativeNames)));
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_WITH_SHA256,
    name,
    validity,
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, extensions),
  );
  const signature = sign("sha256", content, privateKey);
  const certificate = sequence(content, ECDSA_WITH_SHA256, der(0x03, Buffer.from([0]), signature));
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString("base64")}\n-----END CERTIFICATE-----\n`,
  };
}

/** A value of ASN.1: tag, length, content. */
function der(tag: number, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const length =
    body.length < 0x80
      ? [body.length]
      : body.length < 0x100
        ? [0x81, body.length]
        : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

function sequence(...content: readonly Buffer[]): Buffer {
  return der(0x30, ...content);
}

function set(...content: readonly Buffer[]): Buffer {
  return der(0x31, ...content);
}

function utcTime(text: string): Buffer {
  return der(0x17, Buffer.from(text));
}

const COMMON_NAME = Buffer.from("0603550403", "hex");
const SUBJECT_ALT_NAME = Buffer.from("0603551d11", "hex");
/** 1.2.840.10045.4.3.2 */
const ECDSA_WITH_SHA256 = sequence(Buffer.from("06082a8648ce3d040302", "hex"));
