import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

const main = join(import.meta.dirname, "../gateway/main.ts");

test.each(["SIGINT", "SIGTERM"] as const)(
  "npm run gateway serves, writes tokens and stops on %s",
  async (signal) => {
    const directory = await mkdtemp(join(tmpdir(), "gateway-"));
    const child = start(
      "--port",
      "0",
      "--keys",
      "3",
      "--history-days",
      "2",
      "--tokens-dir",
      directory,
      "--start-at",
      "2026-11-18T12:00:00Z",
    );
    const [output] = await once(child.stdout, "data");
    const url = /http:\S+/u.exec(String(output))?.[0] ?? "";
    const token = (await readFile(join(directory, "keys", "billing"), "utf8")).trim();
    const response = await fetch(`${url}/key`, { headers: { authorization: `Bearer ${token}` } });
    expect(response.status).toBe(200);
    expect(await readdir(join(directory, "keys"))).toEqual(["billing", "search", "support-bot"]);
    child.kill(signal);
    expect(await once(child, "exit")).toEqual([0, null]);
    await rm(directory, { recursive: true });
  },
);

test("a port in use is reported with a remedy and exit code 1", async () => {
  const first = start("--port", "0", "--keys", "1", "--history-days", "0");
  const [output] = await once(first.stdout, "data");
  const port = new URL(/http:\S+/u.exec(String(output))?.[0] ?? "").port;
  const second = start("--port", port, "--keys", "1", "--history-days", "0");
  expect(await ended(second)).toEqual([
    1,
    "",
    expect.stringContaining(`127.0.0.1:${port}: the port is in use`),
  ]);
  first.kill("SIGTERM");
  await once(first, "exit");
});

test.each([
  [["--help"], 0, "--tokens-dir", ""],
  [["--port", "x"], 2, "", 'Cannot use --port "x"'],
  [["--speed", "fast"], 2, "", 'Cannot use --speed "fast"'],
  [["--start-at", "2026-11-18"], 2, "", 'Cannot use --start-at "2026-11-18"'],
  [["--quick"], 2, "", "--quick"],
])("%j exits with %i", async (args, code, output, errors) => {
  expect(await ended(start(...args))).toEqual([
    code,
    expect.stringContaining(output),
    expect.stringContaining(errors),
  ]);
});

function start(...args: string[]) {
  return spawn(process.execPath, [main, ...args], { stdio: ["ignore", "pipe", "pipe"] });
}

async function ended(child: ReturnType<typeof start>): Promise<[number | null, string, string]> {
  const texts = { output: "", errors: "" };
  child.stdout.on("data", (part) => void (texts.output += String(part)));
  child.stderr.on("data", (part) => void (texts.errors += String(part)));
  await once(child, "close");
  return [child.exitCode, texts.output, texts.errors];
}
