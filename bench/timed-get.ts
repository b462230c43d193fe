import { get, type RequestOptions } from "node:http";

/** An answer, and when it came (`performance.now()`). */
export interface TimedAnswer {
  readonly body: Buffer;
  readonly firstByteAt: number;
  readonly endedAt: number;
}

/** Reads a body as it is sent, compressed or not: to decompress it is the reader's cost. Only 200 is an answer. */
export function timedGet(url: string, options: RequestOptions = { agent: false }): Promise<TimedAnswer> {
  return new Promise((resolve, reject) => {
    const request = get(url, options, (response) => {
      const firstByteAt = performance.now();
      const chunks: Buffer[] = [];
      if (response.statusCode !== 200) reject(new Error(`Cannot read ${url}: ${response.statusCode}`));
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const endedAt = performance.now();
        resolve({ body: Buffer.concat(chunks), firstByteAt, endedAt });
      });
      response.on("error", reject);
    });
    request.on("error", reject);
  });
}
