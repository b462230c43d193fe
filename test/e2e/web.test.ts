import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import type { RequestOptions } from "node:https";
import { join } from "node:path";
import { connect, type ConnectionOptions } from "node:tls";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createGateway, type Gateway } from "../gateway/gateway.ts";
import { createAuthority, type Issued } from "../support/certificates.ts";
import { type ExporterFiles, writeExporterFiles } from "../support/exporter-files.ts";
import { type ExporterProcess, runExporter, startExporter } from "../support/exporter-process.ts";
import { askOverTls, hashedPassword } from "../support/https-client.ts";
import { connectRaw } from "../support/raw-client.ts";
import { seriesOfText } from "../support/series.ts";
import { until } from "../support/until.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const authority = createAuthority();
const server = authority.issue("127.0.0.1");

let gateway: Gateway;
let files: ExporterFiles;
let webFile: string;
let exporter: ExporterProcess;

beforeAll(async () => {
  gateway = createGateway({ keys: 3 });
  await gateway.start();
  files = writeExporterFiles({ url: gateway.url, tokens: gateway.tokens });
  webFile = join(files.directory, "web.yaml");
  // As Kubernetes mounts a Secret.
  mountCertificate("v1", server);
  symlinkSync("..data/tls.crt", join(files.directory, "tls.crt"));
  symlinkSync("..data/tls.key", join(files.directory, "tls.key"));
  writeFileSync(join(files.directory, "ca.crt"), authority.cert);
  write({});
  exporter = await startExporter(
    [`--config.file=${files.configFile}`, `--web.config.file=${webFile}`, "--web.enable-lifecycle"],
    files.environment,
  );
});

afterAll(async () => {
  await exporter.stop();
  await gateway.stop();
  files.remove();
});

/** Each test begins with TLS and two users. */
beforeEach(() => write({}));

const USERS = { alice: hashedPassword("one"), bob: hashedPassword("two") };
const TLS = { cert_file: "tls.crt", key_file: "tls.key" };

/** Replaces the file, so that no reader sees half of it. */
function write(change: { readonly http?: object; readonly users?: object }): void {
  const content = {
    tls_server_config: TLS,
    ...(change.http && { http_server_config: change.http }),
    basic_auth_users: change.users ?? USERS,
  };
  writeFileSync(`${webFile}.new`, JSON.stringify(content));
  renameSync(`${webFile}.new`, webFile);
}

function mountCertificate(version: string, { cert, key }: Issued): void {
  mkdirSync(join(files.directory, `..${version}`));
  writeFileSync(join(files.directory, `..${version}`, "tls.crt"), cert);
  writeFileSync(join(files.directory, `..${version}`, "tls.key"), key);
  symlinkSync(`..${version}`, join(files.directory, "..data_new"));
  renameSync(join(files.directory, "..data_new"), join(files.directory, "..data"));
}

function ask(path: string, options: RequestOptions = {}) {
  return askOverTls(exporter.url + path, { ca: authority.cert, auth: "alice:one", ...options });
}

async function outcome(options: RequestOptions): Promise<number | string | undefined> {
  return ask("/-/healthy", options).then(
    ({ status }) => status,
    () => "refused",
  );
}

/** The serial number of the certificate that a new connection receives. */
function servedSerial(): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(exporter.url);
    const options: ConnectionOptions = { host: hostname, port: Number(port), rejectUnauthorized: false };
    const socket = connect(options, () => {
      resolve(socket.getPeerX509Certificate()?.serialNumber);
      socket.destroy();
    });
    socket.on("error", reject);
  });
}

describe("basic authentication", () => {
  test.each([
    ["alice:one", 200],
    ["bob:two", 200],
    ["alice:two", 401],
    ["eve:one", 401],
    ["alice:", 401],
    [":", 401],
    ["", 401],
  ])("%j is %d at every path", async (auth, status) => {
    const expected = {
      "/metrics": status,
      "/": status,
      "/api/v1/status": status,
      "/keys/nobody": status === 200 ? 404 : status,
      "/api/v1/status/schema": status,
      "/-/healthy": status,
      "/nowhere": status === 200 ? 404 : 401,
    };
    for (const [path, wanted] of Object.entries(expected)) {
      const answer = await ask(path, { auth });
      expect([path, answer.status]).toEqual([path, wanted]);
      expect(answer.headers["www-authenticate"]).toBe(status === 401 ? "Basic" : undefined);
    }
    expect((await ask("/-/reload", { auth, method: "POST" })).status).toBe(status);
  });

  test("refused logins are one line with the address, without the password, until their summary", async () => {
    await ask("/metrics", { auth: "alice:a-wrong-password" });
    const lines = exporter.log().match(/.*"msg":"Refused a login".*/g);
    expect(lines).toHaveLength(1);
    expect(lines?.[0]).toMatch(/"level":"warn".*"address":"(?:::ffff:)?127\.0\.0\.1"/);
    expect(exporter.log()).not.toContain("a-wrong-password");
  });

  test("users are added, changed and removed without a restart", async () => {
    write({ users: { bob: hashedPassword("three") } });
    expect((await ask("/metrics")).status).toBe(401);
    expect((await ask("/metrics", { auth: "bob:two" })).status).toBe(401);
    expect((await ask("/metrics", { auth: "bob:three" })).status).toBe(200);
  });

  test("a scrape succeeds while a client guesses passwords at a high cost", async () => {
    write({ users: { ...USERS, eve: hashedPassword("x").replace("$04$", "$13$") } });
    const guess = ask("/metrics", { auth: "eve:guess" });
    expect((await ask("/metrics", { auth: null })).status).toBe(401);
    let ended = false;
    void guess.then(() => (ended = true));
    const healthy = await ask("/-/healthy", { auth: null });
    expect([healthy.status, ended]).toEqual([401, false]);
    expect((await guess).status).toBe(401);
  });
});

describe("headers", () => {
  test("the configured headers are sent with every response, an empty one is not", async () => {
    const headers = { "X-Frame-Options": "deny", "Content-Security-Policy": "", "X-XSS-Protection": "0" };
    write({ http: { headers } });
    for (const auth of ["alice:one", ""]) {
      const answer = await ask("/", { auth });
      expect(answer.headers["x-frame-options"]).toBe("deny");
      expect(answer.headers["x-xss-protection"]).toBe("0");
      expect(answer.headers["content-security-policy"]).toBeUndefined();
      expect(answer.headers["x-content-type-options"]).toBe("nosniff");
    }
  });
});

test("plain HTTP at the TLS port is answered with a sentence", async () => {
  const answer = await fetch(exporter.url.replace("https", "http"));
  expect([answer.status, await answer.text()]).toEqual([
    400,
    "Client sent an HTTP request to an HTTPS server.\n",
  ]);
});

describe("files that change", () => {
  test("a renewed certificate is served to the next connection", async () => {
    const before = await servedSerial();
    mountCertificate("v2", authority.issue("127.0.0.1"));
    await until("the new certificate", servedSerial, (serial) => serial !== before);
    expect((await ask("/metrics")).status).toBe(200);
  });

  test("an unusable file refuses every request, is reported, and recovers", async () => {
    writeFileSync(webFile, "");
    expect(await outcome({})).toBe(500);
    await until(
      "the problem in the log",
      () => exporter.log(),
      (log) => log.includes("tls_server_config: was removed, which requires a restart; nothing is served"),
    );
    write({});
    expect(await outcome({})).toBe(200);
  });
});

function check(...web: readonly string[]) {
  return runExporter(["check", `--config.file=${files.configFile}`, ...web], files.environment);
}

describe("check", () => {
  test("describes a valid web configuration", async () => {
    const { code, stdout, stderr } = await check(`--web.config.file=${webFile}`);
    expect([code, stdout.split("\n")[1]]).toEqual([0, `${webFile}: is valid: TLS, 2 users`]);
    // The certificates of the tests last a day.
    expect(stderr).toContain("tls_server_config.cert_file: the certificate expires in less than 1 days");
    expect(exporter.log()).toContain("the certificate expires in less than 1 days");
    const end = seriesOfText((await ask("/metrics")).body).get(
      "aigateway_exporter_web_certificate_expiry_timestamp_seconds{}",
    );
    expect(Math.abs((end ?? 0) - Date.now() / 1000)).toBeLessThan(2 * 86_400);
  });
});

test("healthcheck needs neither password nor certificate, and fails when the exporter has stopped", async () => {
  const healthcheck = () => runExporter(["healthcheck", `--url=${exporter.url}`]);
  expect(await healthcheck()).toEqual({ code: 0, stdout: "", stderr: "" });
  for (let count = 0; count < 3; count++) await resetHandshake();
  expect((await exporter.stop()).code).toBe(0);
  const address = exporter.url.replace("https", "http");
  const stderr = `${address}/-/healthy does not answer: ECONNREFUSED\n`;
  expect(await healthcheck()).toEqual({ code: 1, stdout: "", stderr });
});

/** Begins a handshake and resets the connection. */
async function resetHandshake(): Promise<void> {
  const { socket } = await connectRaw(exporter.url.replace("https", "http"));
  socket.write(Buffer.from("16030100", "hex"));
  socket.resetAndDestroy();
}
