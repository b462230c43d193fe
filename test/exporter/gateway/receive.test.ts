import { describe, expect, test, vi } from "vitest";
import { createParseQueue, receive, type ResponseHandler } from "../../../exporter/gateway/receive.ts";

function begun(signal: AbortSignal, limitMs = 10_000) {
  const begin = vi.fn<(handler: ResponseHandler) => void>();
  const answer = receive(begin, signal, limitMs);
  // The test checks it later.
  answer.catch(() => {});
  const [[handler] = []] = begin.mock.calls;
  if (!handler) throw new Error("the request was not begun");
  return { answer, handler, controller: { abort: vi.fn<(reason: Error) => void>() } };
}

describe("receive", () => {
  test.each([
    ["characters that lie across two chunks", [[0xe2, 0x82], [0xac]], "€"],
    ["a body after a byte order mark", [[0xef, 0xbb, 0xbf, 0x7b, 0x7d]], "{}"],
    ["no body", [], ""],
  ])("reads %s", async (_name, chunks, text) => {
    const { answer, handler, controller } = begun(new AbortController().signal);
    handler.onRequestStart(controller);
    handler.onResponseStart(controller, 200, { "content-type": "application/json" });
    for (const chunk of chunks) handler.onResponseData(controller, Buffer.from(chunk));
    handler.onResponseEnd();
    await expect(answer).resolves.toEqual({
      status: 200,
      headers: { "content-type": "application/json" },
      text,
    });
  });

  test("aborts a request that still waits for its connection", async () => {
    const owner = new AbortController();
    const { answer, handler, controller } = begun(owner.signal);
    const reason = new Error("The exporter stops");
    owner.abort(reason);
    await expect(answer).rejects.toBe(reason);
    handler.onRequestStart(controller);
    expect(controller.abort).toHaveBeenCalledWith(reason);
  });

  test("aborts a request in progress", async () => {
    const owner = new AbortController();
    const { answer, handler, controller } = begun(owner.signal);
    handler.onRequestStart(controller);
    handler.onResponseStart(controller, 503, {});
    const reason = new Error("The exporter stops");
    owner.abort(reason);
    expect(controller.abort).toHaveBeenCalledWith(reason);
    await expect(answer).rejects.toBe(reason);
  });

  test("begins no request if the signal is already aborted", () => {
    const begin = vi.fn<(handler: ResponseHandler) => void>();
    expect(() => receive(begin, AbortSignal.abort(new Error("stopped")), 1000)).toThrow("stopped");
    expect(begin).not.toHaveBeenCalled();
  });
});

test("createParseQueue admits one response per iteration of the event loop, in order of arrival", async () => {
  const turn = createParseQueue();
  const events: string[] = [];
  const loop = (count: number): void => {
    events.push(`turn ${count}`);
    if (count < 3) setImmediate(loop, count + 1);
  };
  setImmediate(loop, 1);
  await Promise.all(["a", "b", "c"].map((name) => turn().then(() => events.push(name))));
  expect(events).toEqual(["turn 1", "a", "turn 2", "b", "turn 3", "c"]);
});
