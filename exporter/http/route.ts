import type { IncomingMessage } from "node:http";

/** How the server answers at one path. A route for GET also answers HEAD. */
export interface Route {
  readonly path: string;
  readonly methods: readonly ("GET" | "POST" | "PUT")[];
  handle(request: IncomingMessage): Answer | Promise<Answer>;
}

/** The answer to a request. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: readonly Buffer[];
}

/** A short answer in plain text. */
export function textAnswer(
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", ...headers },
    body: [Buffer.from(text)],
  };
}
