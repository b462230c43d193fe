import { describe, expect, test } from "vitest";
import type { ProxyConfig } from "../../../exporter/config/config.ts";
import { redact } from "../../../exporter/secrets/redact.ts";
import { loadText, problemLines } from "../secrets/simulated-files.ts";

const HTTPS = "https://gateway.example/api/v1";

function textOf(baseUrl: string): string {
  return `
gateway: {base_url: "${baseUrl}"}
keys: [{name: billing, api_key_file: /k}]
`;
}

async function proxyFor(env: Readonly<Record<string, string>>, baseUrl = HTTPS) {
  const loaded = await loadText(textOf(baseUrl), { files: { "/k": "sk-one-0123456789" }, env });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.config.gateway.proxy;
}

const PROXY: ProxyConfig = { url: "http://proxy.example:3128", login: undefined };

describe("the proxy of the environment", () => {
  test.each<[string, Readonly<Record<string, string>>, ProxyConfig | undefined]>([
    ["nothing", {}, undefined],
    ["HTTP_PROXY only", { HTTP_PROXY: "http://proxy.example:3128" }, undefined],
    ["HTTPS_PROXY", { HTTPS_PROXY: "http://proxy.example:3128" }, PROXY],
    ["https_proxy", { https_proxy: "http://proxy.example:3128/" }, PROXY],
    ["both", { https_proxy: "http://proxy.example:3128", HTTPS_PROXY: "http://other:1" }, PROXY],
    ["an empty https_proxy", { https_proxy: "", HTTPS_PROXY: "http://other:1" }, undefined],
    ["a host and a port", { HTTPS_PROXY: " proxy.example:3128\n" }, PROXY],
    ["an https proxy", { HTTPS_PROXY: "https://proxy.example" }, { ...PROXY, url: "https://proxy.example" }],
    ["a wrong URL that NO_PROXY makes unused", { HTTPS_PROXY: "socks5://a", NO_PROXY: "*" }, undefined],
    ["both lists of exceptions", { HTTPS_PROXY: "proxy.example:3128", no_proxy: "a", NO_PROXY: "*" }, PROXY],
  ])("%s", async (_, env, wanted) => {
    expect(await proxyFor(env)).toEqual(wanted);
  });

  test.each([
    ["https://gateway.example", "*", true],
    ["https://gateway.example", "gateway.example", true],
    ["https://gateway.example", "GATEWAY.Example.", true],
    ["https://gateway.example", "gateway.example:443", true],
    ["https://gateway.example", "gateway.example:8443", false],
    ["https://gateway.example", ".example", true],
    ["https://gateway.example", "*.example", true],
    ["https://gateway.example", "a b\t.example:443", true],
    ["https://gateway.example", "*.gateway.example", false],
    ["https://gateway.example", "way.example", false],
    ["https://gateway.example", "a.gateway.example", false],
    ["https://10.0.0.1", "10.0.0.1", true],
    ["https://[fd00::1]", "fd00::1", true],
    ["https://[fd00::1]", "[fd00::1]:443", true],
    ["https://[fd00::1]", "fd00::2", false],
    ["https://10.1.2.3", "a,10.0.0.0/8", true],
    ["https://11.1.2.3", "10.0.0.0/8", false],
    ["https://[fd00::1]", "fd00::/8", true],
    ["https://[fd00::1]", "10.0.0.0/8", false],
    ["https://gateway.example", "10.0.0.0/8,x/y", false],
  ])("%s and NO_PROXY=%s: direct %s", async (baseUrl, exceptions, isDirect) => {
    const env = { HTTPS_PROXY: "http://proxy.example:3128", NO_PROXY: exceptions };
    expect(await proxyFor(env, baseUrl)).toEqual(isDirect ? undefined : PROXY);
  });

  test("of a gateway over http is HTTP_PROXY", async () => {
    const text = textOf("http://gateway.internal/api").replace("{", "{allow_http: true, ");
    const env = { HTTP_PROXY: "proxy.example:3128", HTTPS_PROXY: "http://other:1", NO_PROXY: "b:443" };
    const loaded = await loadText(text, { files: { "/k": "sk-one-0123456789" }, env });
    expect(loaded.ok && loaded.config.gateway.proxy).toEqual(PROXY);
  });

  test.each(["http://localhost:1/api", "https://127.9.9.9/api"])("is not used for %s", async (baseUrl) => {
    const env = { HTTP_PROXY: "http://proxy.example:3128", HTTPS_PROXY: "http://proxy.example:3128" };
    expect(await proxyFor(env, baseUrl)).toBeUndefined();
  });

  test("keeps the credentials out of its URL and out of every text", async () => {
    const proxy = await proxyFor({ HTTPS_PROXY: "http://me:s3cret%40word-of-proxy@proxy.example:3128" });
    const encoded = Buffer.from("me:s3cret@word-of-proxy").toString("base64");
    expect([proxy?.url, proxy?.login?.reveal()]).toEqual(["http://proxy.example:3128", encoded]);
    expect(JSON.stringify(proxy)).not.toContain(encoded);
    const text = `failed: s3cret@word-of-proxy, Proxy-Authorization: Basic ${encoded}`;
    expect(redact(text)).toBe("failed: [redacted], Proxy-Authorization: Basic [redacted]");
  });

  test.each([
    "socks5://proxy.example",
    "http://me:s3cret@proxy.example:3128/path",
    "http://me:s3cret@proxy.example:99999",
  ])("%s is an error without the value, among the others", async (written) => {
    const text = `${textOf(HTTPS)}\nseries_limit: none\n`;
    const lines = await problemLines(text, {
      files: { "/k": "sk-one-0123456789" },
      env: { HTTPS_PROXY: written },
    });
    expect(lines).toEqual([
      expect.stringContaining("series_limit"),
      "config.yaml: line 2: gateway.base_url: cannot be reached through the proxy of HTTPS_PROXY, which is not an http or https URL such as http://proxy.example:3128",
    ]);
  });
});
