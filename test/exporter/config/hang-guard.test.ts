import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readingFault } from "../../../exporter/config/file-error.ts";
import { createHangGuard } from "../../../exporter/config/hang-guard.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});

afterEach(() => {
  vi.useRealTimers();
});

const LATE = "could not be read within 5 s";
const REFUSED = "is not read while another file hangs, as on a dead network mount";

/** A guard, and reads whose end the test decides. */
function stage() {
  const guard = createHangGuard();
  const begun: string[] = [];
  const read = (path: string) => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const [folder = ""] = path.split("/");
    const result = guard(folder, () => {
      begun.push(path);
      return promise;
    }).catch(readingFault);
    return { result, end: () => resolve(`content of ${path}`) };
  };
  return { begun, read };
}

const settled = () => vi.advanceTimersByTimeAsync(0);

test("createHangGuard reads one file of a folder at a time, and two in all", async () => {
  const { begun, read } = stage();
  const [a1, a2, b1, c1] = [read("a/1"), read("a/2"), read("b/1"), read("c/1")];
  expect(begun).toEqual(["a/1", "b/1"]);
  a1.end();
  await settled();
  expect(begun).toEqual(["a/1", "b/1", "a/2"]);
  b1.end();
  await settled();
  expect(begun).toEqual(["a/1", "b/1", "a/2", "c/1"]);
  for (const { end } of [a2, c1]) end();
  expect(await Promise.all([a1, a2, b1, c1].map(({ result }) => result))).toEqual(
    ["a/1", "a/2", "b/1", "c/1"].map((path) => `content of ${path}`),
  );
});

test("createHangGuard refuses what waits in a folder that hangs, and what comes, until the read ends", async () => {
  const { begun, read } = stage();
  const hanging = read("dead/1");
  const waiting = read("dead/2");
  await vi.advanceTimersByTimeAsync(5000);
  expect(await Promise.all([hanging.result, waiting.result, read("dead/3").result])).toEqual([
    LATE,
    REFUSED,
    REFUSED,
  ]);
  const good = read("good/1");
  good.end();
  expect(await good.result).toBe("content of good/1");
  hanging.end();
  await settled();
  const again = read("dead/4");
  again.end();
  expect(await again.result).toBe("content of dead/4");
  expect(begun).toEqual(["dead/1", "good/1", "dead/4"]);
});

test("createHangGuard refuses everything while two folders hang, and reads again when one recovers", async () => {
  const { begun, read } = stage();
  const hanging = [read("dead/1"), read("gone/1")];
  const waiting = read("good/1");
  await vi.advanceTimersByTimeAsync(5000);
  expect(await waiting.result).toBe(REFUSED);
  expect(await read("good/2").result).toBe(REFUSED);
  hanging[0]?.end();
  await settled();
  const good = read("good/3");
  good.end();
  expect(await good.result).toBe("content of good/3");
  expect(begun).toEqual(["dead/1", "gone/1", "good/3"]);
});

test("createHangGuard takes turns between folders", async () => {
  const { begun, read } = stage();
  const reads = ["a/1", "b/1", "a/2", "a/3", "b/2", "c/1"].map(read);
  for (const { end } of reads) end();
  await Promise.all(reads.map(({ result }) => result));
  expect(begun.indexOf("c/1")).toBeLessThan(begun.indexOf("a/3"));
});

test("createHangGuard reads on after work that fails", async () => {
  const guard = createHangGuard();
  await expect(guard("a", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  await expect(guard("a", () => Promise.resolve(1))).resolves.toBe(1);
  expect(vi.getTimerCount()).toBe(0);
});
