import { createHash } from "node:crypto";
import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createFollowedFiles } from "../../../exporter/config/followed-files.ts";
import { systemFiles } from "../../../exporter/secrets/files.ts";
import { writeMounted } from "../../support/mounted-folder.ts";
import { configHash } from "../../../exporter/config/config.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

describe("createFollowedFiles()", () => {
  test.each<[string, (root: string) => void]>([
    [
      "written in place with the same length and its former time",
      (root) => {
        writeFileSync(join(root, "conf/..data/config.yaml"), "b: 1");
        utimesSync(join(root, "conf/..data/config.yaml"), 1, 1);
      },
    ],
    ["swapped as Kubernetes does it", (root) => writeMounted(join(root, "conf"), { "config.yaml": "b: 1" })],
    ["removed", (root) => rmSync(join(root, "conf/..data/config.yaml"))],
    ["given a further key", (root) => writeFileSync(join(root, "keys/search"), "sk-2")],
    ["deprived of a key", (root) => rmSync(join(root, "keys/billing"))],
    ["given another certificate", (root) => writeFileSync(join(root, "tls.crt"), "another")],
  ])("reports a change of a configuration that is %s, once", async (_name, change) => {
    const { followed, read, root } = await setUp();
    utimesSync(join(root, "conf/..data/config.yaml"), 1, 1);
    await read();
    change(root);
    const first = await followed.change();
    expect(first).toBeDefined();
    expect(await followed.change()).toBe(first);
    await read().catch(() => {});
    expect(await followed.change()).toBeUndefined();
  });

  test("does not report a key that is rotated in place", async () => {
    const { followed, read, root } = await setUp();
    await read();
    writeFileSync(join(root, "keys/billing"), "sk-rotated");
    expect(await followed.change()).toBeUndefined();
  });

  test("reports a change that happened during the read", async () => {
    const { followed, read, root, during } = await setUp();
    during.read = () => writeMounted(join(root, "conf"), { "config.yaml": "c: 1" });
    await read();
    expect(await followed.change()).toBeDefined();
  });

  test("has the hash of the configuration as sha256sum computes it, and none if it cannot be read", async () => {
    const { followed, read, root } = await setUp();
    expect(followed.hash()).toBeUndefined();
    await read();
    const hex = createHash("sha256").update("a: 1").digest("hex").slice(0, 12);
    expect([followed.hash(), configHash("a: 1")]).toEqual([Number(`0x${hex}`), Number(`0x${hex}`)]);
    rmSync(join(root, "conf/..data/config.yaml"));
    await read().catch(() => {});
    expect(followed.hash()).toBeUndefined();
  });
});

/** A configuration in a volume of Kubernetes, and a folder of keys. */
async function setUp() {
  const root = temporaryFolder();
  writeMounted(join(root, "conf"), { "config.yaml": "a: 1" });
  mkdirSync(join(root, "keys"));
  writeFileSync(join(root, "keys/billing"), "sk-1");
  writeFileSync(join(root, "tls.crt"), "one");
  const path = join(root, "conf/config.yaml");
  const during = { read: () => {} };
  const followed = createFollowedFiles(path, {
    ...systemFiles,
    readFile: (file, mostBytes) => {
      during.read();
      return systemFiles.readFile(file, mostBytes);
    },
  });
  const read = async () => {
    await followed.files.readFile(path, 1024);
    await followed.files.listDirectory(join(root, "keys"));
    await followed.files.readBytes(join(root, "tls.crt"), 1024);
  };
  return { root, followed, read, during };
}
