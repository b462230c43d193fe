import type { ServerResponse } from "node:http";

/**
 * Takes a place for an answer until its last byte is sent, so slow readers count as well. False: all places are taken,
 * none of them by an answer that its client left unread for too long.
 */
export type TryAcquire = (response: ServerResponse) => boolean;

export interface RequestSemaphoreOptions {
  /** 0 is unlimited. */
  readonly most: number;
  /** From the request on. An answer that is unread for longer loses its connection when another one needs the place. */
  readonly unreadMs: number;
  readonly onUnread: () => void;
}

/** Bounds the answers in progress. */
export function createRequestSemaphore({ most, unreadMs, onUnread }: RequestSemaphoreOptions): TryAcquire {
  /** When each answer took its place (monotonic), the oldest first. */
  const held = new Map<ServerResponse, number>();

  /** Progress does not count: a reader of one byte a second would keep its place. */
  function endOldestUnread(): boolean {
    const latest = performance.now() - unreadMs;
    for (const [response, since] of held) {
      if (since > latest) return false;
      // One that is not complete yet waits for the exporter.
      if (!response.writableEnded) continue;
      held.delete(response);
      response.req.socket.destroy();
      onUnread();
      return true;
    }
    return false;
  }

  return (response) => {
    if (most > 0 && held.size >= most && !endOldestUnread()) return false;
    // The client left while its access was checked, and there will be no other event.
    if (response.destroyed) return true;
    held.set(response, performance.now());
    response.once("close", () => held.delete(response));
    return true;
  };
}
