import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { selfFamilies } from "../metrics/self-families.ts";
import type { SelfRegistry } from "../metrics/self-registry.ts";

/**
 * Why a connection was closed to respect a limit: the longest idle one made room, none was idle, or its client did not
 * read its answer and another request needed the place.
 */
const DROP_REASONS = ["idle", "limit", "unread"] as const;

export type DropReason = (typeof DROP_REASONS)[number];

/** The open connections of the server. At the limit, a new one replaces the one that has been idle longest. */
export interface Connections {
  /** Admits a connection, before any TLS handshake. False: it was closed because no other connection is idle. */
  admit(socket: Socket): boolean;
  /**
   * The connection of the request is not idle until the answer is sent. False: it was closed because too many of its
   * requests have no answer yet.
   */
  answering(request: IncomingMessage, response: ServerResponse): boolean;
}

/** Counts the open connections of a server, and ends the longest idle one at the limit. */
export function createConnections(most: number, onDrop: (reason: DropReason) => void): Connections {
  /** By peer, the longest idle one first; those that answer a request are not in order. */
  const open = new Map<string, Connection>();

  function becomeIdle(peer: string, connection: Connection): void {
    if (open.get(peer) !== connection) return;
    open.delete(peer);
    open.set(peer, connection);
  }

  function dropLongestIdle(): boolean {
    for (const [peer, { socket, responses }] of open) {
      if (responses.size > 0) continue;
      open.delete(peer);
      socket.destroy();
      return true;
    }
    return false;
  }

  return {
    admit: (socket) => {
      const isFull = open.size >= most;
      const isAdmitted = !isFull || dropLongestIdle();
      if (isFull) onDrop(isAdmitted ? "idle" : "limit");
      if (!isAdmitted) {
        socket.destroy();
        return false;
      }
      const peer = peerOf(socket);
      const connection = { socket, responses: new Set<ServerResponse>() };
      open.set(peer, connection);
      socket.once("close", () => {
        if (open.get(peer) === connection) open.delete(peer);
        // Node ends only the response that is being sent, not those that wait for it.
        for (const response of connection.responses) response.destroy().emit("close");
      });
      return true;
    },
    answering: ({ socket }, response) => {
      const peer = peerOf(socket);
      const connection = open.get(peer);
      if (!connection) return !socket.destroyed;
      if (connection.responses.size === MOST_UNANSWERED) {
        open.delete(peer);
        socket.destroy();
        return false;
      }
      connection.responses.add(response);
      response.once("close", () => {
        connection.responses.delete(response);
        if (connection.responses.size === 0) becomeIdle(peer, connection);
      });
      return true;
    },
  };
}

/** Clients wait for an answer before they send the next request. A packet may hold a thousand requests. */
const MOST_UNANSWERED = 8;

interface Connection {
  /** The TCP connection, also under TLS. */
  readonly socket: Socket;
  /** Answers in progress: several when a client does not wait before it sends the next request. */
  readonly responses: Set<ServerResponse>;
}

/** Identifies a connection before and after its TLS handshake. */
export function peerOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}

/** Creates the counter of dropped connections. */
export function countDrops(registry: SelfRegistry): (reason: DropReason) => void {
  const drops = registry.counter(selfFamilies.droppedConnections);
  for (const reason of DROP_REASONS) drops.inc({ reason }, 0);
  return (reason) => drops.inc({ reason });
}
