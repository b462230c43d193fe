import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { expect, test } from "vitest";
import { createRequestSemaphore } from "../../../exporter/http/request-semaphore.ts";

test("createRequestSemaphore() keeps no place for a client that has left", () => {
  const tryAcquire = createRequestSemaphore({ most: 1, unreadMs: Infinity, onUnread: () => {} });
  const left = response();
  left.destroy();
  tryAcquire(left);
  expect(tryAcquire(response())).toBe(true);
  expect(tryAcquire(response())).toBe(false);
});

function response(): ServerResponse {
  return new ServerResponse(new IncomingMessage(new Socket()));
}
