import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import packageJson from "../../package.json" with { type: "json" };
import { createGateway, type Gateway } from "../gateway/gateway.ts";
import { hashedPassword } from "../support/hashed-password.ts";
import { imageParameters } from "../support/image-content.ts";
import { createReadOnlyRoot, missingRights, type ReadOnlyRoot, USER } from "../support/read-only-root.ts";
import { toolPolicy } from "../support/tools.ts";
import { until } from "../support/until.ts";

/** A process takes long to start on a busy machine. */
const PATIENCE_MS = 300_000;

const missing = missingRights();
const policy = toolPolicy(missing === undefined ? [] : [missing], process.env["E2E_REQUIRED"]);
if (policy === "skip") process.stderr.write(`Skipped the read-only file system: needs ${missing}\n`);

describe.skipIf(policy === "skip")("the image's content on a read-only file system, without rights", () =>
  policy === "fail" ? refuse() : define(),
);

function refuse(): void {
  test("finds the tools that E2E_REQUIRED=1 demands", () => expect(missing).toBeUndefined());
}

function define(): void {
  const exporter = imageParameters("/app");
  const flags = ["--config.file=/etc/config.yaml", "--web.config.file=/etc/web.yaml"];
  let gateway: Gateway;
  let root: ReadOnlyRoot;
  let before: readonly string[];

  beforeAll(async () => {
    gateway = createGateway();
    const [one] = ["one", "two"].map((name) => gateway.addKey({ name }));
    await gateway.start();
    root = createReadOnlyRoot();
    writeFileSync(inside("etc/one"), one ?? "");
    writeFileSync(inside("etc/config.yaml"), configuration("one"));
    const users = { alice: hashedPassword("one") };
    writeFileSync(inside("etc/web.yaml"), JSON.stringify({ basic_auth_users: users }));
    before = root.files();
  }, PATIENCE_MS);

  afterAll(async () => {
    await gateway?.stop();
    root?.remove();
  });

  function inside(path: string): string {
    return join(root.directory, path);
  }

  function run(...parameters: readonly string[]) {
    return resultOf(root.run([...exporter, ...parameters]));
  }

  function configuration(name: string): string {
    const keys = [{ name, api_key_file: "/etc/one" }];
    return JSON.stringify({ gateway: { base_url: gateway.url }, keys, schedule: { keys: "1s" } });
  }

  test("nothing can be written and no other program can be started", { timeout: PATIENCE_MS }, async () => {
    const program = `
      const { writeFileSync } = require("node:fs");
      const { spawnSync } = require("node:child_process");
      const written = ["/x", "/app/x", "/tmp/x", "/etc/one", "/nodejs/x", "/dev/shm/x"].map((path) => {
        try { writeFileSync(path, "x"); return "written"; } catch ({ code }) { return code; }
      });
      const started = ["sh", "/bin/sh", "npm", "ls"].map((name) => spawnSync(name).error?.code);
      console.log(JSON.stringify([written, started, process.getuid(), process.getgid(), process.getgroups()]));`;
    const { code, stdout, stderr } = await resultOf(root.run(["--eval", program]));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toEqual([
      ["EROFS", "EROFS", "EROFS", "EROFS", "EROFS", "ENOENT"],
      ["ENOENT", "ENOENT", "ENOENT", "ENOENT"],
      USER,
      USER,
      [USER],
    ]);
  });

  test("every command runs", { timeout: PATIENCE_MS }, async () => {
    const version = `aigateway-exporter ${packageJson.version}\n`;
    expect(await run("--version")).toEqual({ code: 0, stdout: version, stderr: "" });
    const checked = await run("check", ...flags);
    expect(checked).toMatchObject({ code: 0, stderr: "" });
    expect(checked.stdout).toContain("/etc/config.yaml: is valid: 1 key\n");
    const polled = await run("--once", flags[0] ?? "");
    expect(polled.code).toBe(0);
    expect(polled.stdout).toContain('aigateway_key_up{key="one"} 1\n');
  });

  test(
    "the exporter serves, checks passwords, reloads, and exits with 0",
    { timeout: PATIENCE_MS },
    async () => {
      const child = root.run([...exporter, "--web.listen-address=127.0.0.1:0", ...flags]);
      const ended = resultOf(child);
      let log = "";
      child.stderr?.on("data", (chunk: string) => (log += chunk));
      const address = /(http:\/\/127\.0\.0\.1:\d+)/;
      await until(
        "it to listen",
        () => log,
        (text) => address.test(text),
        { timeoutMs: PATIENCE_MS },
      );
      const url = address.exec(log)?.[1] ?? "";
      const headers = { authorization: `Basic ${Buffer.from("alice:one").toString("base64")}` };
      const ask = async (path: string) => (await fetch(url + path, { headers })).text();
      const seen = (name: string) =>
        until(
          `key "${name}" to be polled`,
          () => ask("/metrics"),
          (text) => text.includes(`aigateway_key_up{key="${name}"} 1\n`),
          { timeoutMs: PATIENCE_MS },
        );
      const text = await seen("one");
      const build = `version="${packageJson.version}",revision="unknown",nodeversion="${process.version}"`;
      expect(text).toContain(`aigateway_exporter_build_info{${build}} 1\n`);
      expect(text).toMatch(/^process_resident_memory_bytes [1-9]/m);
      expect((await fetch(`${url}/metrics`)).status).toBe(401);
      expect(await ask("/")).toContain("<html");
      expect(statusOf(child)).toEqual({
        Uid: `${USER} ${USER} ${USER} ${USER}`,
        Groups: "",
        NoNewPrivs: "1",
        CapInh: NONE,
        CapPrm: NONE,
        CapEff: NONE,
        CapAmb: NONE,
      });

      // Replaced, as Kubernetes does it.
      writeFileSync(inside("etc/new.yaml"), configuration("renamed"));
      renameSync(inside("etc/new.yaml"), inside("etc/config.yaml"));
      child.kill("SIGHUP");
      await seen("renamed");
      child.kill("SIGTERM");
      const { code, stdout } = await ended;
      expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    },
  );

  test("the exporter has written no file", () => {
    const own = /^etc(?:\/config\.yaml)? /;
    expect(root.files().filter((file) => !own.test(file))).toEqual(before.filter((file) => !own.test(file)));
    expect(before.length).toBeGreaterThan(200);
  });
}

const NONE = "0000000000000000";

/** The rights of the process, from the kernel. */
function statusOf({ pid }: ChildProcess): Readonly<Record<string, string>> {
  const wanted = ["Uid", "Groups", "NoNewPrivs", "CapInh", "CapPrm", "CapEff", "CapAmb"];
  const lines = readFileSync(`/proc/${pid}/status`, "utf8").split("\n");
  return Object.fromEntries(
    lines
      .map((line) => line.split(":\t"))
      .filter(([name = ""]) => wanted.includes(name))
      .map(([name = "", value = ""]) => [name, value.trim().replaceAll("\t", " ")]),
  );
}

async function resultOf(child: ChildProcess) {
  const [stdout, stderr]: [string[], string[]] = [[], []];
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => stdout.push(chunk));
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => stderr.push(chunk));
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  await once(child, "close");
  process.off("exit", kill);
  return { code: child.exitCode, stdout: stdout.join(""), stderr: stderr.join("") };
}
