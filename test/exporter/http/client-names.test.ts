import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hasAllowedName } from "../../../exporter/http/client-names.ts";
import {
  alternativeNames,
  createAuthority,
  der,
  distinguishedName,
  generalName,
  objectId,
  sequence,
} from "../../support/certificates.ts";
import { runs } from "../../fuzz/runs.ts";

const authority = createAuthority();
const NAME = "prometheus.example";

function admits(names: readonly Buffer[], allowed: readonly string[]): boolean {
  return hasAllowedName(new X509Certificate(authority.issueRaw(...names).cert), allowed);
}

const directoryName = (text: string) => der(0xa4, distinguishedName(text));
const otherName = (text: string) => der(0xa0, objectId("2a0304"), der(0xa0, der(0x0c, Buffer.from(text))));
/** An XMPP address, which Node shows with its text. */
const xmppName = (text: string) =>
  der(0xa0, objectId("2b06010505070805"), der(0xa0, der(0x0c, Buffer.from(text))));
const ipv6 = (hex: string) => generalName("IP", Buffer.from(hex, "hex"));

describe("hasAllowedName() accepts", () => {
  test.each([
    ["a host name", generalName("DNS", NAME), NAME],
    ["a wildcard that is allowed literally", generalName("DNS", "*.example"), "*.example"],
    ["an e-mail address", generalName("email", "a@b.example"), "a@b.example"],
    ["an e-mail address with a quoted comma", generalName("email", '"a, b"@c.example'), '"a, b"@c.example'],
    ["a URI", generalName("URI", "spiffe://example/prometheus"), "spiffe://example/prometheus"],
    ["a URI with a comma and a quote", generalName("URI", 'https://a/?q="x, y"'), 'https://a/?q="x, y"'],
    ["a URN", generalName("URI", "urn:uuid:1"), "urn:uuid:1"],
    ["an IPv4 address", generalName("IP", Buffer.from([192, 0, 2, 1])), "192.0.2.1"],
    ["an IPv6 address, written short", ipv6("20010db8000000000000000000000001"), "2001:db8::1"],
    ["an IPv6 address, written in full", ipv6("20010db8000000000000000000000001"), "2001:DB8:0:0:0:0:0:1"],
  ])("%s", (_name, entry, allowed) => {
    expect(admits([entry], [allowed])).toBe(true);
    expect(admits([directoryName("x"), otherName("y"), entry, generalName("DNS", "z")], ["a", allowed])).toBe(
      true,
    );
    expect(admits([entry], [`${allowed}x`, `x${allowed}`, allowed.slice(1), allowed.slice(0, -1)])).toBe(
      false,
    );
  });
});

describe("hasAllowedName() refuses", () => {
  test.each<[string, readonly Buffer[]]>([
    ["no names", []],
    ["a directory name", [directoryName(NAME)]],
    ["a directory name that contains the prefix", [directoryName(`DNS:${NAME}`)]],
    ["a directory name that contains an entry", [directoryName(`x, DNS:${NAME}`)]],
    ["a directory name that ends quotes", [directoryName(`x", DNS:${NAME}, DirName:"`)]],
    ["a directory name over lines", [directoryName(`x\nDNS:${NAME}`)]],
    ["another name", [otherName(NAME)]],
    ["another name that contains an entry", [otherName(`x, DNS:${NAME}`)]],
    ["an XMPP address", [xmppName(NAME)]],
    ["an XMPP address that contains an entry", [xmppName(`x", DNS:${NAME}, URI:"`)]],
    ["an e-mail address that contains an entry", [generalName("email", `a@b, DNS:${NAME}`)]],
    ["a URI that contains an entry", [generalName("URI", `urn:x, DNS:${NAME}`)]],
    ["a host name that contains an entry", [generalName("DNS", `x, DNS:${NAME}`)]],
    ["a host name in quotes", [generalName("DNS", `"${NAME}"`)]],
    ["a host name with an escaped character", [generalName("DNS", NAME.replace("p", String.raw`\u0070`))]],
    ["a host name with a final NUL", [generalName("DNS", `${NAME}\0`)]],
    ["a host name with a NUL and more", [generalName("DNS", `${NAME}\0.evil.example`)]],
    ["a host name with a final dot", [generalName("DNS", `${NAME}.`)]],
    ["a host name with blanks", [generalName("DNS", ` ${NAME}`), generalName("DNS", `${NAME} `)]],
    ["a host name with a line break", [generalName("DNS", `${NAME}\n`)]],
    ["a wildcard that covers the host", [generalName("DNS", "*.example"), generalName("DNS", "*")]],
    ["upper case", [generalName("DNS", NAME.toUpperCase())]],
    ["a letter that looks the same", [generalName("DNS", NAME.replace("e", "\u0435"))]],
    ["a full-width letter", [generalName("DNS", NAME.replace("p", "\uff50"))]],
    ["the host as an e-mail address", [generalName("email", NAME)]],
    ["the host as a URI", [generalName("URI", NAME)]],
    ["the host as an address", [generalName("IP", Buffer.from(NAME.slice(0, 4)))]],
    ["the host as a constructed text", [der(0xa2, der(0x16, Buffer.from(NAME)))]],
    ["the host as a registered id", [der(0x88, Buffer.from(NAME))]],
  ])("%s", (_name, names) => {
    expect(admits(names, [NAME])).toBe(false);
  });

  test.each<[string, Buffer, string]>([
    ["an address as a host name", generalName("DNS", "192.0.2.1"), "192.0.2.1"],
    ["an IPv6 address as a URI", generalName("URI", "2001:db8::1"), "2001:db8::1"],
    ["a URI as a host name", generalName("DNS", "spiffe://a/b"), "spiffe://a/b"],
    ["an e-mail address as a host name", generalName("DNS", "a@b.example"), "a@b.example"],
    ["an e-mail address as a URI", generalName("URI", "a@b.example"), "a@b.example"],
    [
      "an address with a mask",
      generalName("IP", Buffer.from([192, 0, 2, 1, 255, 255, 255, 255])),
      "192.0.2.1",
    ],
    ["an empty address", generalName("IP", ""), "192.0.2.1"],
    ["a zone, which no certificate has", ipv6("fe800000000000000000000000000001"), "fe80::1%eth0"],
    ["a text that Latin-1 would make equal", generalName("DNS", Buffer.from([0xfc])), "ü"],
    ["a text that UTF-8 would make equal", generalName("DNS", "ü"), "ü"],
    ["an empty name", generalName("DNS", ""), ""],
  ])("%s", (_name, entry, allowed) => {
    expect(admits([entry], [allowed])).toBe(false);
  });

  test("a certificate without names, and one with two extensions of them", () => {
    const good = alternativeNames(generalName("DNS", NAME));
    for (const extensions of [[], [good, good]]) {
      const { cert } = authority.issueWith({ extensions });
      expect(hasAllowedName(new X509Certificate(cert), [NAME])).toBe(false);
    }
  });

  test("all names if any byte after them is left over", () => {
    const trailing = der(0x30, Buffer.concat([generalName("DNS", NAME), Buffer.from([0x82])]));
    const { cert } = authority.issueWith({
      extensions: [sequence(objectId("551d11"), der(0x04, trailing))],
    });
    expect(hasAllowedName(new X509Certificate(cert), [NAME])).toBe(false);
  });
});

type Kind = Parameters<typeof generalName>[0];

const HOSTILE = fc.constantFrom(
  "DNS:",
  ", ",
  '"',
  "\\",
  "\0",
  "\n",
  "URI:",
  "@",
  "://",
  "*.",
  "é",
  NAME,
  "email:",
);
const text = fc
  .array(fc.oneof(HOSTILE, fc.string({ maxLength: 4 })), { maxLength: 5 })
  .map((parts) => parts.join(""));
const entry = fc.record({ kind: fc.constantFrom<Kind>("DNS", "email", "URI"), text });
const wrapped = fc.oneof(text.map(directoryName), text.map(otherName), text.map(xmppName));

test("hasAllowedName() accepts exactly the certificates that have an entry of the allowed kind and text", () => {
  fc.assert(
    fc.property(
      fc.array(entry, { maxLength: 4 }),
      fc.array(wrapped, { maxLength: 2 }),
      entry,
      fc.boolean(),
      (entries, others, wanted, isTaken) => {
        const all = isTaken ? [...entries, wanted] : entries;
        const names = all.map(({ kind, text: content }) => generalName(kind, content));
        const expected = all.some((each) => each.text === wanted.text && each.kind === kindOf(wanted.text));
        expect(admits([...others, ...names], [wanted.text])).toBe(
          expected && /^[\x20-\x7e]+$/.test(wanted.text),
        );
      },
    ),
    runs(200),
  );
});

function kindOf(allowed: string): Kind {
  if (isIP(allowed) > 0) return "IP";
  if (/^[a-z][a-z0-9+.-]*:/i.test(allowed)) return "URI";
  return allowed.includes("@") ? "email" : "DNS";
}

test("hasAllowedName() survives every changed byte, and never takes a damaged entry for the allowed one", () => {
  const { raw } = new X509Certificate(authority.issueRaw(directoryName(NAME)).cert);
  const change = fc.tuple(fc.nat({ max: raw.length - 1 }), fc.nat({ max: 255 }));
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
      const bytes = Buffer.from(raw);
      for (const [at, value] of changes) bytes[at] = value;
      // Only what hasAllowedName() reads of a certificate.
      expect(hasAllowedName({ raw: bytes }, ["p.example"])).toBe(false);
    }),
    runs(500),
  );
});
