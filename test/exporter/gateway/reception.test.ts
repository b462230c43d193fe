import { describe, expect, test, vi } from "vitest";
import { type Reception, receive } from "../../../exporter/gateway/reception.ts";

function begun(signal: AbortSignal, limitMs = 10_000) {
  const begin = vi.fn<(reception: Reception) => void>();
  const answer = receive(begin, signal, limitMs);
  // Whoever looks at it does so later.
  answer.catch(() => {});
  const [[reception] = []] = begin.mock.calls;
  if (!reception) throw new Error("the request was not begun");
  return { answer, reception, controller: { abort: vi.fn<(reason: Error) => void>() } };
}

describe("receive", () => {
  test.each([
    ["characters that lie across two chunks", [[0xe2, 0x82], [0xac]], "€"],
    ["a byte order mark that says nothing", [[0xef, 0xbb, 0xbf, 0x7b, 0x7d]], "{}"],
    ["no body", [], ""],
  ])("reads %s", async (_name, chunks, text) => {
    const { answer, reception, controller } = begun(new AbortController().signal);
    reception.onRequestStart(controller);
    reception.onResponseStart(controller, 200, { "content-type": "application/json" });
    for (const chunk of chunks) reception.onResponseData(controller, Buffer.from(chunk));
    reception.onResponseEnd();
    await expect(answer).resolves.toEqual({
      status: 200,
      headers: { "content-type": "application/json" },
      text,
    });
  });

  test("stops a request that still waits for its connection when nobody wants its answer", async () => {
    const owner = new AbortController();
    const { answer, reception, controller } = begun(owner.signal);
    const reason = new Error("The exporter stops");
    owner.abort(reason);
    await expect(answer).rejects.toBe(reason);
    reception.onRequestStart(controller);
    expect(controller.abort).toHaveBeenCalledWith(reason);
  });

  test("stops one that is under way", async () => {
    const owner = new AbortController();
    const { answer, reception, controller } = begun(owner.signal);
    reception.onRequestStart(controller);
    reception.onResponseStart(controller, 503, {});
    const reason = new Error("The exporter stops");
    owner.abort(reason);
    expect(controller.abort).toHaveBeenCalledWith(reason);
    await expect(answer).rejects.toBe(reason);
  });

  test("begins nothing when it is aborted already", () => {
    const begin = vi.fn<(reception: Reception) => void>();
    expect(() => receive(begin, AbortSignal.abort(new Error("stopped")), 1000)).toThrow("stopped");
    expect(begin).not.toHaveBeenCalled();
  });
});
