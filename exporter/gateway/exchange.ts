import { StringDecoder } from "node:string_decoder";
import type { Dispatcher } from "undici";
import { onAbort, reasonOf } from "../time/clock.ts";
import { type HttpResponse, isSuccess } from "./response.ts";

export type Connections = Pick<Dispatcher, "dispatch" | "destroy">;

/** Until when an answer is waited for. */
export interface ExchangeEnd {
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/**
 * Sends a request and collects its answer. `request()` of undici makes a stream and listens to an abort signal for each
 * answer, which takes a third of the time of a poll.
 * @throws undici's errors; a `TimeoutError` after the limit; the signal's reason.
 */
export function exchange(
  connections: Pick<Connections, "dispatch">,
  request: Dispatcher.DispatchOptions,
  { limitMs, signal }: ExchangeEnd,
): Promise<HttpResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
  // Text, because a list of chunks of one byte takes a hundred times the size of the answer.
  const decoder = new StringDecoder();
  let text = "";
  let head: Pick<HttpResponse, "status" | "headers"> | undefined;
  let controller: Dispatcher.DispatchController | undefined;
  let reason: Error | undefined;
  // The status of a refusal decides, even if its body is cut, too large or too slow (observed-behaviour 15).
  const fail = (error: Error) =>
    head && !isSuccess(head.status) ? resolve({ ...head, body: "" }) : reject(error);
  const abort = (why: Error) => {
    reason = why;
    controller?.abort(why);
    fail(why);
  };
  connections.dispatch(request, {
    onRequestStart: (started) => {
      controller = started;
      if (reason) started.abort(reason);
    },
    onResponseStart: (_controller, status, headers) => {
      // Others are only announcements.
      if (status >= 200) head = { status, headers };
    },
    onResponseData: (_controller, chunk) => {
      text += decoder.write(chunk);
    },
    onResponseEnd: () => {
      if (head) resolve({ ...head, body: (text + decoder.end()).replace(BYTE_ORDER_MARK, "") });
    },
    onResponseError: (_controller, error) => fail(error),
  });
  const timer = setTimeout(() => abort(new DOMException("Timed out", "TimeoutError")), limitMs);
  const forget = onAbort(signal, () => abort(reasonOf(signal)));
  return promise.finally(() => {
    clearTimeout(timer);
    forget();
  });
}

const BYTE_ORDER_MARK = /^\uFEFF/;
