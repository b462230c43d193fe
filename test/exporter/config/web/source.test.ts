import { expect, test } from "vitest";
import { loadWebConfig } from "../../../../exporter/config/web/load.ts";
import { createWebSource } from "../../../../exporter/config/web/source.ts";
import { createAuthority } from "../../../support/certificates.ts";
import { createRecordingLog } from "../../../support/log.ts";
import type { WebConfig } from "../../../../exporter/config/web/schema.ts";
import { hashedPassword } from "../../../support/https-client.ts";

const authority = createAuthority();
const [first, second] = [authority.issue("first"), authority.issue("second")];
const [ONE, TWO] = [hashedPassword("one"), hashedPassword("two")];

const TLS = "tls_server_config: {cert_file: a.crt, key_file: a.key, client_auth_type: RequireAnyClientCert}";
const USERS = `basic_auth_users: {alice: "${ONE}"}`;

/** A source over files in memory that the test changes. */
async function setUp(text: string) {
  const files = new Map([
    ["/w/web.yaml", text],
    ["/w/a.crt", first.cert],
    ["/w/a.key", first.key],
  ]);
  const readFile = async (path: string) => {
    const content = files.get(path);
    if (content !== undefined) return content;
    throw Object.assign(new Error("gone"), { code: "ENOENT" });
  };
  const loaded = await loadWebConfig("/w/web.yaml", { readFile });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const { log, lines } = createRecordingLog();
  const version = async (path: string) => files.get(path) ?? "none";
  const source = createWebSource("/w/web.yaml", loaded.config, { readFile, version }, log);
  let heard = 0;
  const said = () => {
    const news = lines.slice(heard).map(({ message }) => message);
    heard = lines.length;
    return news;
  };
  const certificate = async () => (await source.current())?.tls?.options.cert;
  return { files, source, said, certificate };
}

const userNames = (config: WebConfig | undefined) => config && [...config.users.keys()];

test("the configuration stays the same object until a file changes", async () => {
  const { files, source, said } = await setUp(`${TLS}\n${USERS}\n`);
  const before = await source.current();
  expect(await source.current()).toBe(before);
  files.set("/w/web.yaml", `${TLS}\nbasic_auth_users: {bob: "${TWO}"}\n`);
  const after = await source.current();
  expect([userNames(before), userNames(after)]).toEqual([["alice"], ["bob"]]);
  expect(said()).toEqual([]);
});

test("the previous certificate stays in use until the new certificate and key belong together", async () => {
  const { files, source, certificate, said } = await setUp(TLS);
  expect(await certificate()).toBe(first.cert);
  expect(source.isUpToDate()).toBe(true);
  files.set("/w/a.crt", second.cert);
  expect(await certificate()).toBe(first.cert);
  expect(source.isUpToDate()).toBe(false);
  files.delete("/w/a.key");
  expect(await certificate()).toBe(first.cert);
  expect(await certificate()).toBe(first.cert);
  expect(source.isUpToDate()).toBe(false);
  files.set("/w/a.key", second.key);
  expect(await certificate()).toBe(second.cert);
  expect(source.isUpToDate()).toBe(true);
  expect(said()).toEqual([
    '/w/web.yaml: line 1: tls_server_config.key_file: file "/w/a.key" contains a key that does not match cert_file; ' +
      "the previous certificate stays in use",
    '/w/web.yaml: line 1: tls_server_config.key_file: file "/w/a.key" does not exist; the previous certificate stays in use',
    "/w/web.yaml: is usable again",
  ]);
});

test("a certificate that is incomplete does not keep the access control of a file that lost it", async () => {
  const { files, source, said } = await setUp(`${TLS}\n${USERS}\n`);
  await source.current();
  files.set("/w/a.crt", second.cert.slice(0, 100));
  files.set("/w/web.yaml", TLS);
  expect(await source.current()).toBeUndefined();
  expect(said()).toEqual([
    '/w/web.yaml: line 1: tls_server_config.cert_file: file "/w/a.crt" contains no certificate (PEM); nothing is served until that is fixed',
    "/w/web.yaml: basic_auth_users: was removed, which requires a restart; nothing is served until that is fixed",
  ]);
});

test.each([
  ["is gone", undefined, "does not exist"],
  ["cannot be read as YAML", "a: [", "line 1"],
  ["has lost its users", TLS, "basic_auth_users: was removed, which requires a restart"],
  ["has lost TLS", USERS, "tls_server_config: was removed, which requires a restart"],
  [
    "no longer requests a certificate",
    `${TLS.replace("RequireAnyClientCert", "NoClientCert")}\n${USERS}\n`,
    "tls_server_config.client_auth_type: was removed, which requires a restart",
  ],
])("a file that %s stops serving, is logged once, and recovers", async (_name, text, message) => {
  const good = `${TLS}\n${USERS}\n`;
  const { files, source, said } = await setUp(good);
  await source.current();
  if (text === undefined) files.delete("/w/web.yaml");
  else files.set("/w/web.yaml", text);
  expect(await source.current()).toBeUndefined();
  expect(await source.current()).toBeUndefined();
  const lines = said();
  expect(lines.join("\n")).toContain(message);
  expect(lines.every((line) => line.endsWith("nothing is served until that is fixed"))).toBe(true);
  files.set("/w/web.yaml", good);
  expect(userNames(await source.current())).toEqual(["alice"]);
  expect(said()).toEqual(["/w/web.yaml: is usable again"]);
});

test("users can be added at any time, but TLS requires a restart", async () => {
  const { files, source } = await setUp("{}");
  files.set("/w/web.yaml", USERS);
  expect(userNames(await source.current())).toEqual(["alice"]);
  files.set("/w/web.yaml", `${TLS}\n${USERS}\n`);
  expect(await source.current()).toBeUndefined();
});
