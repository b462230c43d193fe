import { expect, test } from "vitest";
import { createSemaphore } from "../../../exporter/schedule/semaphore.ts";

test("createSemaphore() gives out as many places as there are, and a returned place once more", () => {
  let freed = 0;
  const semaphore = createSemaphore(2, () => freed++);
  const [first, second] = [semaphore.tryTake(), semaphore.tryTake()];
  expect([semaphore.tryTake(), semaphore.free, freed]).toEqual([undefined, 0, 0]);
  first?.();
  first?.();
  expect([semaphore.free, freed]).toEqual([1, 1]);
  semaphore.resize(0);
  expect([semaphore.free, semaphore.tryTake()]).toEqual([0, undefined]);
  second?.();
  semaphore.resize(3);
  expect(semaphore.free).toBe(3);
});
