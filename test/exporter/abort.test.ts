import { expect, test, vi } from "vitest";
import { onAbort } from "../../exporter/abort.ts";

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

test("onAbort takes one waiter off where the same function waits twice", () => {
  const controller = new AbortController();
  const waiter = vi.fn<() => void>();
  const forget = onAbort(controller.signal, waiter);
  onAbort(controller.signal, waiter);
  forget();
  forget();
  controller.abort();
  expect(waiter).toHaveBeenCalledTimes(1);
});

test("onAbort lets a waiter call another off while they are called", () => {
  const controller = new AbortController();
  const second = vi.fn<() => void>();
  onAbort(controller.signal, () => forget());
  const forget = onAbort(controller.signal, second);
  controller.abort();
  expect(second).not.toHaveBeenCalled();
});

test("onAbort listens to a signal once, however many wait", () => {
  const { signal } = new AbortController();
  const listen = vi.spyOn(signal, "addEventListener");
  for (let index = 0; index < 1000; index++) onAbort(signal, () => {});
  expect(listen).toHaveBeenCalledTimes(1);
});
