import { onAbort, reasonOf } from "../time/clock.ts";
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
}

/**
 * Receives one response within `limitMs` of real time; `begin` passes the request to the client. Rejects with a
 * TimeoutError, the signal's reason, or the client's error.
 */
export function receive(
  begin: (handler: ResponseHandler) => void,
  signal: AbortSignal,
  limitMs: number,
): Promise<HttpResponse> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let head: Omit<HttpResponse, "text"> | undefined;
    let controller: Controller | undefined;
    let aborted: Error | undefined;

    function settle(): void {
      clearTimeout(timer);
      forget();
    }
    function fail(error: Error): void {
      settle();
      // The status of a refusal decides, even if its body is cut, too large or too slow (observed-behaviour 15).
      if (head && !signal.aborted && !isSuccess(head.status)) resolve({ ...head, text: "" });
      else reject(error);
    }
    function abort(reason: Error): void {
      aborted = reason;
      controller?.abort(reason);
      fail(reason);
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
        head = { status, headers };
      },
      onResponseData: (_, chunk) => void chunks.push(chunk),
      onResponseEnd: () => {
        settle();
        if (head) resolve({ ...head, text: textOf(chunks) });
      },
      onResponseError: (_, error) => fail(error),
    });
  });
}

/** Parsing a response of at least this many characters takes milliseconds. */
export const LARGE_RESPONSE = 32_768;

/**
 * Spreads the parsing of large responses that arrive together: each call resolves only after the event loop has done
 * other work since the previous call.
 */
export function createParseQueue(): () => Promise<void> {
  let last = Promise.resolve();
  return () => {
    last = last.then(nextTurnOfEventLoop);
    return last;
  };
}

function nextTurnOfEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

const BYTE_ORDER_MARK = 0xfe_ff;

function textOf(chunks: readonly Buffer[]): string {
  const [first] = chunks;
  const bytes = first && chunks.length === 1 ? first : Buffer.concat(chunks);
  const text = bytes.toString();
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
}
