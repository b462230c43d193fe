import type { IncomingHttpHeaders } from "node:http";
import { request, type RequestOptions } from "node:https";
import { hashSync } from "bcryptjs";

export interface HttpsAnswer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** One request over its own connection. Rejects when there is no answer. */
export function askOverTls(url: string, options: RequestOptions): Promise<HttpsAnswer> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { ...options, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk)).on("error", reject);
      response.on("end", () => {
        const body = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode, headers: response.headers, body });
      });
    });
    asked.on("error", reject).end();
  });
}

/** A bcrypt hash of the lowest cost, so that comparing is quick. */
export function hashedPassword(password: string): string {
  return hashSync(password, 4);
}
