import { createServer, type IncomingMessage } from "node:http";

import { z } from "zod";

import { listenOnLoopback } from "./loopback.ts";

/** A server that records the notifications of an Alertmanager. Each receiver has its own path. */
export interface Webhook {
  /** `http://127.0.0.1:40123`, to which the receiver's name is added: `/payments`. */
  readonly url: string;
  /** The received notices: one for each alert of each notification, oldest first. */
  readonly notices: readonly Notice[];
  stop(): Promise<void>;
}

export interface Notice {
  readonly receiver: string;
  /** Epoch milliseconds. */
  readonly receivedAt: number;
  readonly status: "firing" | "resolved";
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Epoch milliseconds. */
  readonly startsAt: number;
  readonly endsAt: number;
}

const labelSet = z.record(z.string(), z.string());
const time = z.string().transform((text) => Date.parse(text));

/** https://prometheus.io/docs/alerting/latest/configuration/#webhook_config, version 4. */
const Notification = z.object({
  version: z.literal("4"),
  alerts: z.array(
    z.object({
      status: z.enum(["firing", "resolved"]),
      labels: labelSet,
      annotations: labelSet,
      startsAt: time,
      endsAt: time,
    }),
  ),
});

export async function startWebhook(): Promise<Webhook> {
  const notices: Notice[] = [];
  const server = createServer((incoming, outgoing) => {
    bodyOf(incoming)
      .then((body) => {
        const receivedAt = Date.now();
        const receiver = decodeURIComponent((incoming.url ?? "/").slice(1));
        const { alerts } = Notification.parse(JSON.parse(body));
        notices.push(...alerts.map((alert) => ({ receiver, receivedAt, ...alert })));
        outgoing.end();
      })
      .catch((error: unknown) => outgoing.writeHead(400).end(String(error)));
  });
  const { address, stop } = await listenOnLoopback(server);
  return { url: `http://${address}`, notices, stop };
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  incoming.setEncoding("utf8");
  let body = "";
  for await (const chunk of incoming) body += String(chunk);
  return body;
}
