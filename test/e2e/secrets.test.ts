import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createGateway, type Gateway } from "../gateway/gateway.ts";
import { createAuthority } from "../support/certificates.ts";
import { type ExporterFiles, writeExporterFiles } from "../support/exporter-files.ts";
import {
  type ExporterProcess,
  type ProcessResult,
  runExporter,
  startExporter,
} from "../support/exporter-process.ts";
import { askOverTls, hashedPassword } from "../support/https-client.ts";
import { leaksOf, planted } from "../support/planted-secrets.ts";
import { until } from "../support/until.ts";

/** The sources of the keys. */
const KEYS = new Map(["variable", "file", "folder", "payer"].map((name) => [name, planted(name)]));
const MANAGEMENT = planted("management");
const PASSWORD = planted("password");
const HASH = hashedPassword(PASSWORD);

const authority = createAuthority();
const server = authority.issue("127.0.0.1");

/** Every secret of the test. */
const SECRETS = new Map([
  ...KEYS,
  ["management", MANAGEMENT],
  ["password", PASSWORD],
  // Without the cost and the first characters of the salt, which other hashes share.
  ["hash", HASH.slice(12)],
  ["private key", server.key.split("\n").slice(1, -2).join("").slice(30)],
]);

let gateway: Gateway;
let files: ExporterFiles;
let webFile: string;
let flags: readonly string[];

beforeAll(async () => {
  gateway = createGateway();
  for (const [name, token] of KEYS) gateway.addKey({ name, token });
  gateway.addKey({ name: "boss", token: MANAGEMENT, management: true });
  await gateway.start();
  files = writeExporterFiles({ url: gateway.url, tokens: new Map(), content: content() });
  webFile = join(files.directory, "web.yaml");
  writeSecretFiles();
  files = { ...files, environment: { KEY_VARIABLE: planted("variable") } };
  flags = [`--config.file=${files.configFile}`, `--web.config.file=${webFile}`];
});

afterAll(async () => {
  await gateway.stop();
  files.remove();
});

function content() {
  return {
    keys: [
      { name: "variable", api_key_env: "KEY_VARIABLE", show_label: true },
      { name: "file", api_key_file: "file.key", show_label: true },
      { name: "payer", api_key_file: "payer.key" },
    ],
    keys_dir: "keys",
    analytics: { management_key_file: "management.key" },
    schedule: { keys: "1s", analytics: "1s" },
    probes: [{ name: "ears", key: "payer", model: "acme/whisper", schedule: "0 0 1 1 *" }],
    probe_spend: { max_cost_per_day: 1, max_cost_per_probe: 0.01 },
  };
}

function writeSecretFiles(): void {
  const write = (name: string, text: string) => writeFileSync(join(files.directory, name), text);
  mkdirSync(join(files.directory, "keys"));
  mkdirSync(join(files.directory, "work"));
  write("file.key", planted("file"));
  write("payer.key", planted("payer"));
  write("keys/folder", `${planted("folder")}\n`);
  write("management.key", MANAGEMENT);
  write("tls.crt", server.cert);
  write("tls.key", server.key);
  write("web.yaml", webContent());
  write("crash.mjs", CRASH);
}

function webContent(): string {
  return JSON.stringify({
    tls_server_config: { cert_file: "tls.crt", key_file: "tls.key" },
    basic_auth_users: { alice: HASH },
  });
}

/** A process takes long to start on a busy machine. */
const PATIENCE_MS = 300_000;

const REFUSALS: Readonly<Record<string, number>> = { file: 401, variable: 429 };

/** The gateway echoes the secret of a request in messages, names, labels and values. */
function repeatSecrets(): void {
  for (const [name, token] of [...KEYS, ["boss", MANAGEMENT] as const]) {
    const body = { error: { message: `Bearer ${token} of ${token}`, metadata: { [token]: token } } };
    gateway.faults.add({
      kind: "status",
      status: REFUSALS[name] ?? 403,
      body: JSON.stringify(body),
      headers: { "Retry-After": token, "X-Key": token },
      key: name,
      endpoint: name === "boss" ? "analytics" : "key",
      times: 2,
    });
    const set = { "data.label": token, "data.limit": token };
    gateway.faults.add({ kind: "fields", set, key: name, endpoint: "key" });
    const row = { model: `m ${token}`, app: token, total_usage: 3, request_count: 1 };
    const metadata = { query_time_ms: 1, row_count: 1, truncated: false };
    gateway.faults.add({
      kind: "body",
      body: JSON.stringify({ data: { data: [row], metadata } }),
      key: name,
      endpoint: "analytics",
    });
    gateway.faults.add({ kind: "status", status: 401, message: token, key: name, endpoint: "transcription" });
  }
}

describe("a process with TLS, users and every source of keys", () => {
  let exporter: ExporterProcess;
  const answers: string[] = [];

  beforeAll(async () => {
    repeatSecrets();
    exporter = await startExporter(
      [...flags, "--log.level=debug", "--web.enable-lifecycle"],
      files.environment,
    );
    await until(
      "every key to be polled, and refused at first",
      async () => (await ask("GET", "/metrics")).body,
      (text) =>
        [...KEYS.keys()].every((name) => text.includes(`aigateway_key_up{key="${name}"}`)) &&
        text.includes('reason="rate_limited"'),
      { timeoutMs: PATIENCE_MS },
    );
  }, PATIENCE_MS);

  afterAll(async () => {
    gateway.faults.clear();
    await exporter.stop();
  });

  async function ask(method: string, path: string, auth = `alice:${PASSWORD}`, headers = {}) {
    const answer = await askOverTls(exporter.url + path, { ca: authority.cert, method, auth, headers });
    answers.push(JSON.stringify(answer.headers), answer.body);
    return answer;
  }

  test("shows no secret in any response", { timeout: PATIENCE_MS }, async () => {
    const paths = [
      "/metrics",
      "/",
      "/api/v1/status",
      "/keys/file",
      "/api/v1/status/schema",
      "/-/healthy",
      "/-/ready",
      "/-/reload",
      `/${MANAGEMENT}?key=${MANAGEMENT}`,
    ];
    for (const path of paths) {
      for (const method of ["GET", "POST"]) {
        await ask(method, path);
        await ask(method, path, `alice:${MANAGEMENT}`, { "x-key": MANAGEMENT });
      }
    }
    await ask("GET", "/metrics", undefined, { accept: "application/openmetrics-text; version=1.0.0" });
    expect(leaksOf(answers.join("\n"), SECRETS)).toEqual([]);
    // The outputs are the right ones.
    expect(answers.join("\n")).toMatch(/aigateway_key_up\{key="folder"\}/);
    expect(answers.join("\n")).toMatch(/reason="rate_limited"\} [1-9]/);
  });

  test(
    "shows no secret in its report of a bad configuration, by HTTP and by signal",
    { timeout: PATIENCE_MS },
    async () => {
      for (const bad of badConfigurations()) {
        files.write(bad);
        expect((await ask("POST", "/-/reload")).status).toBe(500);
        exporter.signal("SIGHUP");
      }
      files.write(content());
      expect((await ask("POST", "/-/reload")).status).toBe(200);
      writeFileSync(webFile, webContent().replace("tls.key", "management.key"));
      await ask("GET", "/metrics").catch(() => undefined);
      writeFileSync(webFile, webContent());
      expect((await ask("GET", "/metrics")).status).toBe(200);
      expect(leaksOf(answers.join("\n"), SECRETS)).toEqual([]);
    },
  );

  test("shows no secret in its log, arguments and title, and writes no file", async () => {
    const of = (name: string) => readFileSync(`/proc/${exporter.pid}/${name}`, "latin1");
    const process = [of("cmdline"), of("comm"), of("status")].join("\n");
    const { code, stdout, stderr } = await exporter.stop();
    expect(code).toBe(0);
    expect(leaksOf(process + stdout + stderr, SECRETS)).toEqual([]);
    expect(process).toContain("--web.config.file=");
    expect(stderr).toContain("gateway answered 401");
    expect(stderr).toContain("Cannot reload");
    expect(stderr).toContain("contains no private key");
  });
});

function badConfigurations(): readonly string[] {
  const base = content();
  return [
    JSON.stringify({
      ...base,
      gateway: { base_url: gateway.url },
      keys: [{ name: "a", api_key: MANAGEMENT }],
    }),
    JSON.stringify({ ...base, keys: [{ name: MANAGEMENT, api_key_env: MANAGEMENT }] }),
    `keys: [ { name: "${MANAGEMENT}`,
    MANAGEMENT,
  ];
}

describe("a command", () => {
  beforeAll(repeatSecrets);
  afterAll(() => gateway.faults.clear());

  test.concurrent.each([
    [["check"], 0, /: is valid: 4 keys, analytics, 1 probe\n.*TLS, 1 user/],
    [["--once", "--log.level=debug"], 0, /aigateway_key_up\{key="payer"\}/],
    [["probe", "ears", "--force"], 1, /ears/],
  ])("%j shows no secret", { timeout: PATIENCE_MS }, async (command, code, expected) => {
    const result = await runExporter([...command, ...flags], files.environment);
    const output = result.stdout + result.stderr;
    expect(result.code).toBe(code);
    expect(output).toMatch(expected);
    expect(leaksOf(output, SECRETS)).toEqual([]);
  });
});

/** Loaded before the exporter: at a signal, or instead of printing, it throws an error that contains every secret. */
const CRASH = `
import { readFileSync } from "node:fs";
const { directory, at, kind } = JSON.parse(process.env.CRASH);
const read = (name) => readFileSync(directory + "/" + name, "utf8").trim();
const hash = JSON.parse(read("web.yaml")).basic_auth_users.alice;
const told = [process.env.KEY_VARIABLE, ...["file.key", "payer.key", "keys/folder", "management.key", "tls.key"].map(read), hash].join(", ");
process.chdir(directory + "/work");
const kinds = {
  causes: () => { throw new AggregateError([new Error(told)], told, { cause: new Error("inner " + told) }) },
  rejection: () => { Promise.reject(new Error("Cannot send " + told)) },
};
if (at === "signal") process.on("SIGUSR2", kinds[kind]);
else process.stdout.write = kinds[kind];
`;

function crashing(at: "signal" | "print", kind: string): Readonly<Record<string, string>> {
  return {
    ...files.environment,
    NODE_OPTIONS: `--import=${join(files.directory, "crash.mjs")}`,
    CRASH: JSON.stringify({ directory: files.directory, at, kind }),
  };
}

describe("the output of a process that crashes with every secret in the error", () => {
  test("contains no secret, and no report is written, in a command", async () => {
    const result = await runExporter(["check", ...flags], crashing("print", "causes"));
    expect(lastWords(result)).toEqual({ code: 1, said: true, redacted: true, leaks: [], written: [] });
  });

  test("contains no secret and no report is written while it serves", async () => {
    const exporter = await startExporter(flags, crashing("signal", "rejection"));
    exporter.signal("SIGUSR2");
    const result = await exporter.ended();
    expect(lastWords(result)).toEqual({ code: 1, said: true, redacted: true, leaks: [], written: [] });
  });
});

function lastWords({ code, stdout, stderr }: ProcessResult) {
  return {
    code,
    said: stderr.includes("Cannot continue after an unexpected error: "),
    redacted: stderr.includes("[redacted]"),
    leaks: leaksOf(stdout + stderr, SECRETS),
    written: readdirSync(join(files.directory, "work")),
  };
}
