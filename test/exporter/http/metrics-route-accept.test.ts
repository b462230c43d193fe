import { describe, expect, test } from "vitest";
import { acceptedEncoding, acceptedFormat } from "../../../exporter/http/metrics-route.ts";
import { X509Certificate } from "node:crypto";
import { hasAllowedName } from "../../../exporter/http/tls-server.ts";
import {
  createAuthority,
  der,
  distinguishedName,
  generalName,
  objectId,
} from "../../support/certificates.ts";

describe("acceptedFormat()", () => {
  test.each([
    ["text", undefined],
    ["text", "*/*"],
    ["text", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"],
    ["text", "text/plain;version=0.0.4;q=1,*/*;q=0.1"],
    ["openmetrics", "application/openmetrics-text"],
    ["openmetrics", "application/openmetrics-text; version=1.0.0; charset=utf-8"],
    ["text", "application/openmetrics-text;version=0.0.1"],
    ["text", "application/openmetrics-text;version=1.0.0;q=0"],
    ["text", "application/openmetrics-text;version=1.0.0;q=0.3,text/plain;version=0.0.4;q=0.5"],
    ["openmetrics", "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.5"],
    // Prometheus 2.42
    [
      "openmetrics",
      "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
    ],
    // Prometheus 3
    [
      "openmetrics",
      "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
    ],
    ["openmetrics", "application/*"],
    ["text", "application/openmetrics-text;q=0,*/*"],
    ["openmetrics", "text/plain;q=0,*/*"],
    // The first of two types with the same quality wins.
    ["text", "text/plain;version=0.0.4,application/openmetrics-text;version=1.0.0"],
    ["text", "application/openmetrics-text;version=2.0.0, */*;q=0.1"],
    ["text", "text/*, application/openmetrics-text;q=0.5"],
    ["text", "application/json"],
    ["text", "application/openmetrics-text;q=nonsense"],
  ])("%s for %s", (format, accept) => {
    expect(acceptedFormat(accept)).toBe(format);
  });
});

describe("acceptedEncoding()", () => {
  test.each([
    [undefined, undefined],
    [undefined, ""],
    [undefined, "identity"],
    ["gzip", "gzip"],
    ["gzip", "br;q=1, gzip;q=0.2"],
    [undefined, "gzip;q=0"],
    [undefined, "gzip;q=0, *"],
    ["gzip", "*"],
    ["gzip", "gzip;q=0.5, identity"],
    ["zstd", "zstd,gzip"],
    ["zstd", "zstd"],
    ["zstd", "gzip;q=0.5, zstd"],
    ["gzip", "gzip, deflate, br, zstd"],
    ["gzip", "zstd;q=0.5, gzip"],
    ["gzip", "zstd;q=0, gzip"],
    [undefined, "zstd;q=0"],
  ])("%s for %s", (expected, header) => {
    expect(acceptedEncoding(header)).toBe(expected);
  });
});

const authority = createAuthority();
const NAME = "prometheus.example";

function admits(names: readonly Buffer[], allowed: readonly string[]): boolean {
  return hasAllowedName(new X509Certificate(authority.issueRaw(...names).cert), allowed);
}

const directoryName = (text: string) => der(0xa4, distinguishedName(text));
/** An XMPP address, which Node shows with its text. */
const xmppName = (text: string) =>
  der(0xa0, objectId("2b06010505070805"), der(0xa0, der(0x0c, Buffer.from(text))));
const IPV6 = generalName("IP", Buffer.from("20010db8000000000000000000000001", "hex"));

describe("hasAllowedName() accepts", () => {
  test.each([
    ["a host name", generalName("DNS", NAME), NAME],
    ["a wildcard that is allowed literally", generalName("DNS", "*.example"), "*.example"],
    ["an e-mail address", generalName("email", "a@b.example"), "a@b.example"],
    ["a URI", generalName("URI", "spiffe://example/prometheus"), "spiffe://example/prometheus"],
    ["an IPv4 address", generalName("IP", Buffer.from([192, 0, 2, 1])), "192.0.2.1"],
    ["an IPv6 address, written short", IPV6, "2001:db8::1"],
  ])("%s", (_name, entry, allowed) => {
    expect(admits([entry], [allowed])).toBe(true);
    expect(
      admits([directoryName("x, y"), xmppName("y"), entry, generalName("DNS", "z")], ["a", allowed]),
    ).toBe(true);
    expect(admits([entry], [`${allowed}x`, `x${allowed}`, allowed.slice(1)])).toBe(false);
  });
});

describe("hasAllowedName() refuses", () => {
  test.each<[string, readonly Buffer[]]>([
    ["no names", []],
    ["a directory name", [directoryName(NAME)]],
    ["a directory name that contains an entry", [directoryName(`x, DNS:${NAME}`)]],
    ["an XMPP address that contains an entry", [xmppName(`x", DNS:${NAME}, URI:"`)]],
    ["an e-mail address that contains an entry", [generalName("email", `a@b, DNS:${NAME}`)]],
    ["a URI that contains an entry", [generalName("URI", `urn:x, DNS:${NAME}`)]],
    ["a host name with a NUL and more", [generalName("DNS", `${NAME}\0.evil.example`)]],
    ["a wildcard that covers the host", [generalName("DNS", "*.example"), generalName("DNS", "*")]],
    ["upper case", [generalName("DNS", NAME.toUpperCase())]],
  ])("%s", (_name, names) => {
    expect(admits(names, [NAME])).toBe(false);
  });
});
