import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Answer } from "./answer.ts";
import type { Fault } from "./faults.ts";

/** Sends an answer, subject to a fault of the connection. Returns false if the answer did not arrive completely. */
export async function deliver(
  response: ServerResponse,
  answer: Answer,
  fault: Fault | null,
  now: number,
  signal: AbortSignal,
): Promise<boolean> {
  await pause((answer.delayMs ?? 0) + (fault?.delayMs ?? 0), signal);
  if (fault?.kind === "reset" || signal.aborted) {
    response.socket?.resetAndDestroy();
    return false;
  }
  const body = Buffer.from(answer.body);
  const headers = { Date: new Date(now).toUTCString(), ...answer.headers, "Content-Length": body.length };
  response.writeHead(answer.status, headers);
  if (fault?.kind === "cut") return cut(response, body, fault.afterBytes ?? Math.floor(body.length / 2));
  if (fault?.kind === "drip") return drip(response, body, fault, signal);
  response.end(body);
  return true;
}

function cut(response: ServerResponse, body: Buffer, afterBytes: number): boolean {
  response.flushHeaders();
  response.write(body.subarray(0, afterBytes), () => response.socket?.destroy());
  return false;
}

async function drip(
  response: ServerResponse,
  body: Buffer,
  fault: Fault & { kind: "drip" },
  signal: AbortSignal,
): Promise<boolean> {
  const { everyMs = 1000, bytesAtOnce = 1 } = fault;
  response.flushHeaders();
  for (let sent = 0; sent < body.length; sent += bytesAtOnce) {
    await pause(everyMs, signal);
    if (signal.aborted || response.destroyed) return false;
    response.write(body.subarray(sent, sent + bytesAtOnce));
  }
  response.end();
  return true;
}

/** The longest delay that a timer supports, long enough to mean "never". */
const LONGEST_MS = 2 ** 31 - 1;

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0) return;
  await sleep(Math.min(ms, LONGEST_MS), undefined, { signal }).catch(() => undefined);
}
