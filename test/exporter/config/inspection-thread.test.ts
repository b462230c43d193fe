import { describe, expect, test } from "vitest";
import { inspectInThread } from "../../../exporter/config/inspection-thread.ts";
import { loadText } from "./simulated-files.ts";

const GATEWAY = "gateway: {base_url: https://gateway.example/api/v1}\n";

/** Longer than what is checked without a thread. */
function configuration(names: readonly string[]): string {
  const keys = names.map((name) => `  - {name: ${name}, api_key_env: KEY}\n`);
  return `${GATEWAY}keys:\n${keys.join("")}${`# ${"-".repeat(97)}\n`.repeat(700)}`;
}

describe("inspectInThread", () => {
  test("returns nothing for a valid configuration", async () => {
    expect(await inspectInThread(configuration(["billing"]))).toEqual([]);
  });

  test("returns problems with their lines", async () => {
    expect(await inspectInThread(configuration(["billing", "Web"]))).toEqual([
      { path: "keys[1].name", message: expect.stringContaining('"Web"'), line: 4 },
    ]);
  });

  test("a text of too many parts is a problem, whatever memory its check would need", async () => {
    expect(await inspectInThread(`keys: [${",".repeat(500_000)}]\n`)).toEqual([
      { path: "", message: "is too large: it has more than 500000 words, signs and line ends" },
    ]);
  });

  test("a text that needs too much memory is a problem, and the process lives on", async () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `key-${index}`);
    expect(await inspectInThread(configuration(names), 16)).toEqual([
      { path: "", message: "is too large: its check needs more than 16 MiB of memory" },
    ]);
  });
});

test("a large configuration is checked in a thread, and loaded as a small one is", async () => {
  const loading = loadText(configuration(["billing", "web"]), { env: { KEY: "sk-1" } });
  await new Promise(setImmediate);
  expect(process.getActiveResourcesInfo()).toContain("MessagePort");
  const loaded = await loading;
  expect(loaded.ok && loaded.config.keys.map(({ name }) => name)).toEqual(["billing", "web"]);
  const refused = await loadText(configuration(["billing", "Web"]), { env: { KEY: "sk-1" } });
  expect(!refused.ok && refused.problems.map(({ line }) => line)).toEqual([4]);
});
