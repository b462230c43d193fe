import { describe, expect, test } from "vitest";
import type { ProxyConfig } from "../../../exporter/config/config.ts";
import { withoutSecrets } from "../../../exporter/config/secret.ts";
import { loadText, problemLines } from "./simulated-files.ts";

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

const PROXY: ProxyConfig = {
  url: "http://proxy.example:3128",
  user: "",
  password: undefined,
  bypass: "",
};

describe("the proxy of the environment", () => {
  test.each<[string, Readonly<Record<string, string>>, ProxyConfig | undefined]>([
    ["nothing", {}, undefined],
    ["an empty HTTPS_PROXY", { HTTPS_PROXY: "" }, undefined],
    ["HTTP_PROXY only", { HTTP_PROXY: "http://proxy.example:3128" }, undefined],
    ["HTTPS_PROXY", { HTTPS_PROXY: "http://proxy.example:3128" }, PROXY],
    ["https_proxy", { https_proxy: "http://proxy.example:3128/" }, PROXY],
    ["both", { https_proxy: "http://proxy.example:3128", HTTPS_PROXY: "http://other:1" }, PROXY],
    ["an empty https_proxy", { https_proxy: "", HTTPS_PROXY: "http://other:1" }, undefined],
    ["a host and a port", { HTTPS_PROXY: "proxy.example:3128" }, PROXY],
    ["an https proxy", { HTTPS_PROXY: "https://proxy.example" }, { ...PROXY, url: "https://proxy.example" }],
    ["NO_PROXY", { HTTPS_PROXY: "proxy.example:3128", NO_PROXY: "a,.b" }, { ...PROXY, bypass: "a,.b" }],
    [
      "no_proxy",
      { HTTPS_PROXY: "proxy.example:3128", no_proxy: "a", NO_PROXY: "b" },
      { ...PROXY, bypass: "a" },
    ],
  ])("%s", async (_, env, wanted) => {
    expect(await proxyFor(env)).toEqual(wanted);
  });

  test.each([
    "http://localhost:1/api",
    "http://127.0.0.1:1/api",
    "http://[::1]:1/api",
    "https://127.9.9.9/api",
  ])("is not used for %s", async (baseUrl) => {
    const env = { HTTP_PROXY: "http://proxy.example:3128", HTTPS_PROXY: "http://proxy.example:3128" };
    expect(await proxyFor(env, baseUrl)).toBeUndefined();
  });

  test("keeps the credentials out of its URL, and the password out of every text", async () => {
    const proxy = await proxyFor({ HTTPS_PROXY: "http://me:s3cret%40word-of-proxy@proxy.example:3128" });
    expect(proxy).toMatchObject({ url: "http://proxy.example:3128", user: "me" });
    expect(proxy?.password?.reveal()).toBe("s3cret@word-of-proxy");
    expect(JSON.stringify(proxy)).not.toContain("word-of-proxy");
    expect(withoutSecrets("failed: s3cret@word-of-proxy")).not.toContain("word-of-proxy");
  });

  test.each([
    "http://",
    "socks5://proxy.example",
    "ftp://proxy.example",
    "http://me:s3cret@proxy.example:3128/path",
    "http://me:s3cret@proxy.example:99999",
    "proxy example",
    "http://proxy.example?a=s3cret",
  ])("%s is an error without the value", async (written) => {
    const lines = await problemLines(textOf(HTTPS), {
      files: { "/k": "sk-one-0123456789" },
      env: { HTTPS_PROXY: written },
    });
    expect(lines).toEqual([
      "config.yaml: gateway.base_url: cannot be reached through the proxy of HTTPS_PROXY, which is not an http or https URL such as http://proxy.example:3128",
    ]);
  });
});
