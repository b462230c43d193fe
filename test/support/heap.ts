import { once } from "node:events";
import { z } from "zod";
import type { ExporterProcess } from "./exporter-process.ts";

/** Returns the bytes of heap that live objects use: collects all garbage first. The process needs `--inspect`. */
export async function heapAfterCollection(exporter: ExporterProcess): Promise<number> {
  const address = /ws:\/\/127\.0\.0\.1:\S+/.exec(exporter.log())?.[0];
  if (address === undefined)
    throw new Error(`The exporter runs without --inspect; it wrote:\n${exporter.log()}`);
  const socket = new WebSocket(address);
  await once(socket, "open");
  try {
    await ask(socket, "HeapProfiler.collectGarbage");
    return HEAP.parse(await ask(socket, "Runtime.getHeapUsage")).result.usedSize;
  } finally {
    socket.close();
  }
}

async function ask(socket: WebSocket, method: string): Promise<unknown> {
  socket.send(JSON.stringify({ id: 1, method }));
  const [{ data }] = MESSAGE.parse(await once(socket, "message"));
  return JSON.parse(data);
}

const MESSAGE = z.tuple([z.object({ data: z.string() })]);
const HEAP = z.object({ result: z.object({ usedSize: z.number() }) });
