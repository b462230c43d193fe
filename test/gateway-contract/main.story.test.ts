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

function start(...args: string[]) {
  return spawn(process.execPath, [main, ...args], { stdio: ["ignore", "pipe", "pipe"] });
}
