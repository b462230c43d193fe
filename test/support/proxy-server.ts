import { createServer, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { listenOnLoopback } from "./loopback.ts";

export interface ProxyServer {
  /** `http://127.0.0.1:40123`. */
  readonly url: string;
  /** What was requested: `CONNECT gateway.test:443`. */
  readonly requests: readonly string[];
  /** The credentials of each request, decoded; empty without them. */
  readonly logins: readonly string[];
}

export interface ProxyOptions {
  /** The port on this machine that stands for every host. */
  readonly port: number;
  /** `user:password`; requests with other credentials get 407. */
  readonly login?: string;
  /** Refuses every request with this status. */
  readonly refusal?: number;
  /** Leaves requests without an answer while it returns true. */
  readonly isSilent?: () => boolean;
}

/** Starts an HTTP proxy with tunnels (CONNECT), until the test has finished. */
export async function startProxy({ port, login, refusal, isSilent }: ProxyOptions): Promise<ProxyServer> {
  const requests: string[] = [];
  const logins: string[] = [];

  /** The status of a refusal. */
  function judge({ method, url, headers }: IncomingMessage): number | undefined {
    requests.push(`${method} ${url}`);
    const [, encoded = ""] = /^Basic (.*)$/.exec(headers["proxy-authorization"] ?? "") ?? [];
    const given = Buffer.from(encoded, "base64").toString();
    logins.push(given);
    return refusal ?? (login !== undefined && given !== login ? 407 : undefined);
  }

  const server = createServer();
  server.on("connect", (incoming: IncomingMessage, client: Socket) => {
    client.on("error", () => {});
    const status = judge(incoming);
    if (isSilent?.()) return void client.on("end", () => client.end()).resume();
    if (status !== undefined) return void client.end(`HTTP/1.1 ${status} Refused\r\n\r\n`);
    const upstream = connect(port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on("error", () => client.destroy());
    client.on("close", () => upstream.destroy());
  });
  const { address, stop } = await listenOnLoopback(server);
  onTestFinished(stop);
  return { url: `http://${address}`, requests, logins };
}
