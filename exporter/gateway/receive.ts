import { setImmediate as nextTurnOfEventLoop } from "node:timers/promises";
import { onAbort, reasonOf } from "../time/clock.ts";
import { createBody } from "./body.ts";
import { isSuccess, type HttpResponse } from "./response.ts";

/**
 * The callbacks of the HTTP client for one request, in this order: the subset of undici's handler that a response
 * needs.
 */
export interface ResponseHandler {
  onRequestStart(controller: Controller): void;
  onResponseStart(controller: Controller, status: number, headers: HttpResponse["headers"]): void;
  onResponseData(controller: Controller, chunk: Buffer): void;
  onResponseEnd(): void;
  onResponseError(controller: Controller, error: Error): void;
}

interface Controller {
  abort(reason: Error): void;
  pause(): void;
  resume(): void;
}

/** How long and how large a response may be. */
export interface ResponseLimits {
  /** Of real time, for the whole exchange. */
  readonly limitMs: number;
  /** Of the body of a success; that of a refusal has a small constant limit. */
  readonly bodyBytes: number;
  /** The name of the setting that `bodyBytes` comes from, for messages; empty for a constant. */
  readonly setting: string;
}

/** The response exceeds a limit, or contains no answer. The message completes "the answer …". */
export class ResponseError extends Error {}

/**
 * Receives one response; `begin` passes the request to the client. Rejects with a TimeoutError, a ResponseError, the
 * signal's reason, or the client's error.
 */
export function receive(
  begin: (handler: ResponseHandler) => void,
  signal: AbortSignal,
  { limitMs, bodyBytes, setting }: ResponseLimits,
  pace: ChunkPace,
): Promise<HttpResponse> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const body = createBody(Math.max(bodyBytes, MOST_REFUSAL_BYTES));
    let head: Omit<HttpResponse, "body"> | undefined;
    let informational = 0;
    let controller: Controller | undefined;
    let aborted: Error | undefined;

    function settle(): void {
      clearTimeout(timer);
      forget();
    }
    function fail(error: Error): void {
      settle();
      // The status of a refusal decides, even if its body is cut, too large or too slow (observed-behaviour 15).
      if (head && !signal.aborted && !isSuccess(head.status)) resolve({ ...head, body: NOTHING });
      else reject(error);
    }
    function abort(reason: Error): void {
      aborted = reason;
      controller?.abort(reason);
      fail(reason);
    }
    function checkSize(bytes: number): boolean {
      const [most, name] = head && !isSuccess(head.status) ? [MOST_REFUSAL_BYTES, ""] : [bodyBytes, setting];
      // Written so that a length that is no number is ignored: then the body itself is measured.
      if (!(bytes > most)) return true;
      abort(new ResponseError(`is larger than ${most} bytes${name === "" ? "" : ` (${name})`}`));
      return false;
    }
    const timer = setTimeout(() => abort(new DOMException("Timed out", "TimeoutError")), limitMs);
    const forget = onAbort(signal, () => abort(reasonOf(signal)));

    begin({
      onRequestStart: (started) => {
        controller = started;
        // The request may have waited for a connection until after it was aborted.
        if (aborted) started.abort(aborted);
      },
      onResponseStart: (_, status, headers) => {
        if (status >= 200) {
          head = { status, headers };
          checkSize(Number(headers["content-length"]));
        } else if (++informational > MOST_INFORMATIONAL) {
          abort(new ResponseError(`does not begin within ${MOST_INFORMATIONAL} informational responses`));
        }
      },
      onResponseData: (from, chunk) => {
        if (!checkSize(body.length + chunk.length)) return;
        body.add(chunk);
        pace(from);
      },
      onResponseEnd: () => {
        settle();
        if (head) resolve({ ...head, body: body.bytes() });
      },
      onResponseError: (_, error) => fail(error),
    });
  });
}

/** A refusal is one sentence. */
export const MOST_REFUSAL_BYTES = 65_536;

/** `100 Continue`, `103 Early Hints`: servers send one or two. */
const MOST_INFORMATIONAL = 32;

const NOTHING = Buffer.alloc(0);

/** Takes note of a chunk, and pauses its response when too many arrived in this turn of the event loop. */
export type ChunkPace = (response: Pick<Controller, "pause" | "resume">) => void;

/**
 * A server can send a million chunks of one byte at once, each of which costs a microsecond. All responses share the
 * number of chunks in a turn.
 */
export function createChunkPace(): ChunkPace {
  let taken = 0;
  const paused = new Set<Parameters<ChunkPace>[0]>();
  function nextTurn(): void {
    taken = 0;
    const waiting = [...paused];
    paused.clear();
    for (const response of waiting) response.resume();
  }
  return (response) => {
    if (++taken < CHUNKS_AT_ONCE) return;
    if (paused.size === 0) setImmediate(nextTurn);
    paused.add(response);
    response.pause();
  };
}

const CHUNKS_AT_ONCE = 1000;

/** Parsing a response of at least this many bytes takes milliseconds. */
export const LARGE_RESPONSE = 32_768;

/**
 * Spreads the parsing of large responses that arrive together: each call resolves only after the event loop has done
 * other work since the previous call.
 */
export function createParseQueue(): () => Promise<void> {
  let last = Promise.resolve();
  return () => {
    last = last.then(() => nextTurnOfEventLoop());
    return last;
  };
}
