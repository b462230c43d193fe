import type { IncomingMessage } from "node:http";

/** How the server answers at one path. A route for GET also answers HEAD. */
export interface Route {
  /** One that ends with a slash, other than the root, includes all paths below it. */
  readonly path: string;
  readonly methods: readonly ("GET" | "POST" | "PUT")[];
  handle(request: IncomingMessage): Answer | Promise<Answer>;
}

/** A route for GET. */
export function get(path: string, handle: Route["handle"]): Route {
  return { path, methods: ["GET"], handle };
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

/** The target of a request is a path, or a whole URL as proxies send it (RFC 9112, 3.2.2). */
export function pathOf({ url = "/" }: IncomingMessage): string {
  const [, path = url] = WHOLE_URL.exec(url) ?? [];
  const [withoutQuery = ""] = path.split("?");
  return withoutQuery === "" ? "/" : withoutQuery;
}

const WHOLE_URL = /^https?:\/\/[^/?#]*(.*)$/i;
