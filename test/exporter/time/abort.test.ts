import { expect, test, vi } from "vitest";
import { onAbort } from "../../../exporter/time/abort.ts";

test("onAbort calls everybody once who still waits", () => {
  const controller = new AbortController();
  const [first, second, third] = [vi.fn<() => void>(), vi.fn<() => void>(), vi.fn<() => void>()];
  onAbort(controller.signal, first);
  const forget = onAbort(controller.signal, second);
  onAbort(controller.signal, third);
  forget();
  controller.abort();
  expect([first, second, third].map((waiter) => waiter.mock.calls.length)).toEqual([1, 0, 1]);
});
