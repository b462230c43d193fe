import { describe, expect, test, vi } from "vitest";
import {
  type ChunkPace,
  createChunkPace,
  createParseQueue,
  receive,
  type ResponseHandler,
} from "../../../exporter/gateway/receive.ts";

function begun(signal: AbortSignal, pace: ChunkPace = () => {}) {
  const begin = vi.fn<(handler: ResponseHandler) => void>();
  const answer = receive(
    begin,
    signal,
    { limitMs: 10_000, bodyBytes: 1000, setting: "gateway.max_body" },
    pace,
  );
  // The test checks it later.
  answer.catch(() => {});
  const [[handler] = []] = begin.mock.calls;
  if (!handler) throw new Error("the request was not begun");
  const controller = {
    abort: vi.fn<(reason: Error) => void>(),
    pause: vi.fn<() => void>(),
    resume: vi.fn<() => void>(),
  };
  return { answer, handler, controller };
}

describe("receive", () => {
  test.each([
    ["characters that lie across two chunks", [[0xe2, 0x82], [0xac]], "€"],
    ["no body", [], ""],
  ])("reads %s", async (_name, chunks, text) => {
    const { answer, handler, controller } = begun(new AbortController().signal);
    handler.onRequestStart(controller);
    handler.onResponseStart(controller, 200, { "content-type": "application/json" });
    for (const chunk of chunks) handler.onResponseData(controller, Buffer.from(chunk));
    handler.onResponseEnd();
    const { status, headers, body } = await answer;
    expect([status, headers, body.toString()]).toEqual([200, { "content-type": "application/json" }, text]);
  });

  test("copies chunks into one buffer, so that a chunk keeps nothing", async () => {
    const { answer, handler, controller } = begun(new AbortController().signal);
    handler.onRequestStart(controller);
    handler.onResponseStart(controller, 200, {});
    const chunk = Buffer.from("x");
    for (let count = 0; count < 100; count++) {
      handler.onResponseData(controller, chunk);
      chunk.write("y");
    }
    handler.onResponseEnd();
    const text = (await answer).body.toString();
    expect([text.slice(1), text.length]).toEqual(["y".repeat(99), 100]);
  });

  test("pauses a response of many small chunks", async () => {
    const { answer, handler, controller } = begun(new AbortController().signal, createChunkPace());
    handler.onRequestStart(controller);
    handler.onResponseStart(controller, 200, {});
    for (let count = 0; count < 1000; count++) handler.onResponseData(controller, Buffer.from("x"));
    expect(controller.pause).toHaveBeenCalledTimes(1);
    handler.onResponseEnd();
    expect((await answer).body).toHaveLength(1000);
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
    expect(() =>
      receive(
        begin,
        AbortSignal.abort(new Error("stopped")),
        { limitMs: 1000, bodyBytes: 1, setting: "" },
        () => {},
      ),
    ).toThrow("stopped");
    expect(begin).not.toHaveBeenCalled();
  });
});

test("createChunkPace pauses responses after a thousand chunks until the next turn, then resumes them", async () => {
  const pace = createChunkPace();
  const events: string[] = [];
  const response = (name: string) => ({
    pause: () => void events.push(`pause ${name}`),
    resume: () => void events.push(`resume ${name}`),
  });
  const [one, other] = [response("one"), response("other")];
  for (let count = 0; count < 999; count++) pace(one);
  expect(events).toEqual([]);
  pace(one);
  pace(other);
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  expect(events).toEqual(["pause one", "pause other", "resume one", "resume other"]);
  for (let count = 0; count < 999; count++) pace(one);
  expect(events).toHaveLength(4);
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
