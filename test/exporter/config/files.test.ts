import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, open, readFile, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { relative } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readingFault } from "../../../exporter/config/file-error.ts";
import { systemFiles } from "../../../exporter/config/files.ts";
import { loadConfig } from "../../../exporter/config/load.ts";
import { formatProblem } from "../../../exporter/config/problem.ts";
import { loadWebConfig } from "../../../exporter/config/web/load.ts";

let folder: string;
const socket = createServer();

beforeAll(async () => {
  folder = await mkdtemp(`${tmpdir()}/files-`);
  execFileSync("mkfifo", [`${folder}/fifo`]);
  await mkdir(`${folder}/directory`);
  await symlink("nowhere", `${folder}/dangling`);
  await symlink("loop", `${folder}/loop`);
  await symlink("fifo", `${folder}/link to a fifo`);
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
  ["link to a fifo", "is not a regular file"],
  ["socket", "is not a regular file"],
  ["directory", "is a directory"],
  ["dangling", "does not exist"],
  ["loop", "is a link that leads to itself"],
  ["huge", "is larger than 1 KiB"],
  ["one more", "is larger than 1 KiB"],
  ["/dev/zero", "is not a regular file"],
  ["/dev/null", "is not a regular file"],
  ["/dev/tty", /is not a regular file|cannot be read/],
] as const;

const openFiles = async () => (await systemFiles.listDirectory("/proc/self/fd")).length;

const pathOf = (name: string) => (name.startsWith("/") ? name : `${folder}/${name}`);

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

  test("leaves no file open", async () => {
    const before = await openFiles();
    for (const [name] of FAULTS) await systemFiles.readFile(pathOf(name), 1024).catch(() => {});
    expect(await openFiles()).toBe(before);
  });

  test("reads a file that grows meanwhile up to the limit", async () => {
    const path = pathOf("growing");
    await writeFile(path, "x");
    const writer = await open(path, "a");
    const done = new AbortController();
    const growth = (async () => {
      while (!done.signal.aborted) await writer.appendFile("x".repeat(64));
    })();
    for (let count = 0; count < 50; count++) {
      const text = await systemFiles.readFile(path, 1024).catch(readingFault);
      expect(text).toMatch(/^(?:x{1,1024}|is larger than 1 KiB)$/);
    }
    done.abort();
    await growth;
    await writer.close();
  });
});

describe("a file that is not a regular one is a problem at once", () => {
  test.each(["fifo", "/dev/zero"])("%s as the configuration", async (name) => {
    const result = await loadConfig({ ...systemFiles, path: pathOf(name), env: {} });
    expect(result).toEqual({ ok: false, problems: [{ path: "", message: "is not a regular file" }] });
  });

  test("a huge configuration", async () => {
    const result = await loadConfig({ ...systemFiles, path: pathOf("huge"), env: {} });
    expect(result).toEqual({ ok: false, problems: [{ path: "", message: "is larger than 4 MiB" }] });
  });

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

  test("the web configuration and what it names", async () => {
    const web = (name: string) => loadWebConfig(pathOf(name), systemFiles);
    expect(await web("fifo")).toEqual({
      ok: false,
      problems: [{ path: "", message: "is not a regular file" }],
    });
    expect(await web("huge")).toEqual({
      ok: false,
      problems: [{ path: "", message: "is larger than 1 MiB" }],
    });
    await writeFile(pathOf("web.yaml"), "tls_server_config: { cert_file: fifo, key_file: /dev/zero }\n");
    const result = await web("web.yaml");
    expect(result.ok ? [] : result.problems.map(({ message }) => message.replace(folder, ""))).toEqual([
      'file "/fifo" is not a regular file',
      'file "/dev/zero" is not a regular file',
    ]);
  });
});
