import { expect, test } from "vitest";

import { oneAtATime } from "../../../exporter/cli/reload.ts";

test("those who ask while one runs share the next, which begins after it has ended", async () => {
  const begun: PromiseWithResolvers<string>[] = [];
  const ask = oneAtATime(() => {
    const run = Promise.withResolvers<string>();
    begun.push(run);
    return run.promise;
  });
  const first = ask();
  await Promise.resolve();
  expect(begun).toHaveLength(1);
  const [second, third] = [ask(), ask()];
  await Promise.resolve();
  expect(begun).toHaveLength(1);
  begun[0]?.resolve("one");
  expect(await first).toBe("one");
  await Promise.resolve();
  expect(begun).toHaveLength(2);
  begun[1]?.resolve("two");
  expect(await Promise.all([second, third])).toEqual(["two", "two"]);
});

test("one that fails does not stop the next", async () => {
  let runs = 0;
  const ask = oneAtATime(() => (++runs === 1 ? Promise.reject(new Error("first")) : Promise.resolve(runs)));
  const first = ask();
  await expect(first).rejects.toThrow("first");
  expect(await ask()).toBe(2);
});
