import { onAbort } from "../time/clock.ts";
import { type Answer, isSuccess } from "./answer.ts";

/** What the HTTP client tells of one request, in order; the part of undici's handler that an answer needs. */
export interface Reception {
  onRequestStart(controller: Controller): void;
  onResponseStart(controller: Controller, status: number, headers: Answer["headers"]): void;
  onResponseData(controller: Controller, chunk: Buffer): void;
  onResponseEnd(): void;
  onResponseError(controller: Controller, error: Error): void;
}

interface Controller {
  abort(reason: Error): void;
}

/**
 * Gathers one answer, within `limitMs` of real time from now on; `begin` hands the request to the client. It rejects
 * with a TimeoutError, with the signal's reason, or with what the client reports.
 */
export function receive(
  begin: (reception: Reception) => void,
  signal: AbortSignal,
  limitMs: number,
): Promise<Answer> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let answer: Omit<Answer, "text"> | undefined;
    let controller: Controller | undefined;
    let aborted: Error | undefined;

    function settle(): void {
      clearTimeout(timer);
      forget();
    }
    function fail(error: Error): void {
      settle();
      // The status of a refusal decides, also when its body is cut, too large or too slow (observed-behaviour 15).
      if (answer && !signal.aborted && !isSuccess(answer.status)) resolve({ ...answer, text: "" });
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
        // It may have waited for a connection until nobody waited for it any more.
        if (aborted) started.abort(aborted);
      },
      onResponseStart: (_, status, headers) => {
        answer = { status, headers };
      },
      onResponseData: (_, chunk) => void chunks.push(chunk),
      onResponseEnd: () => {
        settle();
        if (answer) resolve({ ...answer, text: textOf(chunks) });
      },
      onResponseError: (_, error) => fail(error),
    });
  });
}

function reasonOf(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error(`Aborted: ${String(signal.reason)}`);
}

const BYTE_ORDER_MARK = 0xfe_ff;

function textOf(chunks: readonly Buffer[]): string {
  const [first] = chunks;
  const bytes = first && chunks.length === 1 ? first : Buffer.concat(chunks);
  const text = bytes.toString();
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
}
