import { execFileSync } from "node:child_process";
import promises, { mkdir, mkdtemp, readFile, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { relative } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { readingFault, systemFiles } from "../../../exporter/secrets/files.ts";
import { loadConfig } from "../../../exporter/config/load.ts";
import { formatProblem } from "../../../exporter/config/problem.ts";

let folder: string;
const socket = createServer();

beforeAll(async () => {
  folder = await mkdtemp(`${tmpdir()}/files-`);
  execFileSync("mkfifo", [`${folder}/fifo`]);
  await mkdir(`${folder}/directory`);
  await symlink("nowhere", `${folder}/dangling`);
  await symlink("loop", `${folder}/loop`);
  await writeFile(`${folder}/huge`, "");
  await truncate(`${folder}/huge`, 1024 ** 3);
  await writeFile(`${folder}/exact`, "x".repeat(1024));
  await writeFile(`${folder}/one more`, "x".repeat(1025));
  await writeFile(`${folder}/empty`, "");
  await new Promise<void>((resolve) => void socket.listen(`${folder}/socket`, resolve));
});

afterAll(async () => {
  socket.close();
  await rm(folder, { recursive: true });
});

const FAULTS = [
  ["fifo", "is not a regular file"],
  ["socket", "is not a regular file"],
  ["directory", "is a directory"],
  ["dangling", "does not exist"],
  ["loop", "is a link that leads to itself"],
  ["huge", "is larger than 1 KiB"],
  ["one more", "is larger than 1 KiB"],
  ["/dev/zero", "is not a regular file"],
] as const;

const pathOf = (name: string) => (name.startsWith("/") ? name : `${folder}/${name}`);

const read = (path: string) => systemFiles.readFile(path, 1024).catch(readingFault);

describe("systemFiles", () => {
  test.each(FAULTS)("does not read %s", async (name, fault) => {
    const error: unknown = await systemFiles.readFile(pathOf(name), 1024).catch((thrown: unknown) => thrown);
    expect(readingFault(error)).toMatch(fault);
  });

  test.each([
    ["exact", 1024],
    ["empty", 0],
  ])("reads the whole of %s", async (name, length) => {
    expect(await systemFiles.readFile(pathOf(name), 1024)).toBe("x".repeat(length));
    expect(await systemFiles.readBytes(pathOf(name), 1024)).toHaveLength(length);
  });

  test("reads a file without a size", async () => {
    const status = await readFile("/proc/self/limits", "utf8");
    expect(await systemFiles.readFile("/proc/self/limits", 64 * 1024)).toBe(status);
    await expect(systemFiles.readFile("/proc/self/limits", 512)).rejects.toMatchObject({
      fault: "is larger than 0.5 KiB",
    });
  });

  test("gives up files that hang after 10 s, and reads others as soon as one of two has ended", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const hanging = Promise.withResolvers<never>();
    const { open } = promises;
    promises.open = (...file) => (String(file[0]) === "/dead" ? hanging.promise : open(...file));
    syncBuiltinESMExports();
    onTestFinished(() => {
      promises.open = open;
      syncBuiltinESMExports();
      vi.useRealTimers();
    });
    const results = Promise.all([read("/dead"), read("/dead"), read(pathOf("exact"))]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await results).toEqual(Array.from({ length: 3 }, () => "could not be read within 10 s"));
    const later = read(pathOf("exact"));
    hanging.reject(new Error("the mount is back"));
    expect(await later).toBe("x".repeat(1024));
  });
});

describe("a file that is not a regular one is a problem at once", () => {
  test("secrets, the management key and audio", async () => {
    const path = pathOf("config.yaml");
    await writeFile(
      path,
      `gateway: { base_url: "https://gateway.example" }
keys:
  - { name: one, api_key_file: fifo }
  - { name: two, api_key_file: /dev/zero }
  - { name: three, api_key_file: huge }
  - { name: four, api_key_file: loop }
analytics: { management_key_file: socket }
probes: [{ name: a, key: one, model: a/b, audio: fifo, format: mp3, expected_text: a, schedule: 1h }]
probe_spend: { max_cost_per_day: 1, max_cost_per_probe: 0.1 }
`,
    );
    const result = await loadConfig({ ...systemFiles, path, env: {} });
    const lines = result.ok ? [] : result.problems.map((problem) => formatProblem("c", problem));
    expect(lines.map((line) => line.replaceAll(folder, ""))).toEqual([
      'c: line 3: keys[0].api_key_file: file "/fifo" is not a regular file',
      'c: line 4: keys[1].api_key_file: file "/dev/zero" is not a regular file',
      'c: line 5: keys[2].api_key_file: file "/huge" is larger than 8 KiB',
      'c: line 6: keys[3].api_key_file: file "/loop" is a link that leads to itself',
      'c: line 7: analytics.management_key_file: file "/socket" is not a regular file',
      'c: line 8: probes[0].audio: file "/fifo" is not a regular file',
    ]);
  });

  test("a folder of keys and its files are relative to the configuration, whose path may be relative itself", async () => {
    await mkdir(pathOf("written keys"));
    await writeFile(pathOf("written keys/billing"), "sk-billing-0123456789\n");
    const text = 'gateway: { base_url: "https://gateway.example" }\nkeys_dir: written keys\n';
    await writeFile(pathOf("relative.yaml"), text);
    const path = relative(process.cwd(), pathOf("relative.yaml"));
    const result = await loadConfig({ path, env: {}, ...systemFiles });
    expect(result).toMatchObject({ ok: true, warnings: [] });
    const [key] = result.ok ? result.config.keys : [];
    expect((await key?.secret.read())?.reveal()).toBe("sk-billing-0123456789");
  });

  test("a file of keys_dir is that key's problem alone", async () => {
    await mkdir(pathOf("keys"));
    await writeFile(pathOf("keys/good"), "sk-good");
    execFileSync("mkfifo", [pathOf("keys/pipe")]);
    await writeFile(pathOf("dir.yaml"), 'gateway: { base_url: "https://gateway.example" }\nkeys_dir: keys\n');
    const result = await loadConfig({ ...systemFiles, path: pathOf("dir.yaml"), env: {} });
    expect(result).toMatchObject({ ok: true, config: { keys: [{ name: "good" }, { name: "pipe" }] } });
    expect(result.ok ? result.warnings[0] : "").toMatch(
      /keys\/pipe" is not a regular file; polls of key "pipe" fail until that is fixed$/,
    );
  });
});
