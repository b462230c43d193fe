import { constants } from "node:crypto";
import type { Socket } from "node:net";
import { createServer, type Server, TLSSocket } from "node:tls";
import type { ClientAuth, WebConfig, WebSource, WebTls } from "../config/web/web-config.ts";
import { hasAllowedName } from "./client-names.ts";
import { peerOf } from "./connections.ts";
import type { Limits } from "./limits.ts";
import type { OnRefusal } from "./router.ts";

/** Turns raw connections into TLS connections, each with the web configuration in force when it opens. */
export interface TlsServer {
  accept(socket: Socket): void;
  /**
   * Whether a connection may still send requests: the TLS settings are those of its handshake, and a client certificate
   * that was verified has not expired.
   */
  isCurrent(socket: Socket, tls: WebTls | undefined): boolean;
  /** Ends the handshakes that are in progress. */
  close(): void;
}

/** `onConnection` receives each connection whose client certificate is acceptable. */
export function createTlsServer(
  web: WebSource,
  { requestMs }: Limits,
  onConnection: (socket: TLSSocket) => void,
  onRefusal: OnRefusal,
): TlsServer {
  const handshakes = new Map<string, Socket>();
  const settings = new WeakMap<Socket, WebTls>();
  let current: { readonly tls: WebTls; readonly server: Server } | undefined;

  function serverFor(tls: WebTls): Server {
    if (current?.tls === tls) return current.server;
    const requestCert = tls.clientAuth !== "none";
    // `isAcceptable` checks the certificate after the handshake, so the handshake itself rejects none.
    const options = {
      ...tls.options,
      requestCert,
      rejectUnauthorized: false,
      // A resumed session would show the certificate of an earlier handshake, without verifying it again.
      secureOptions: requestCert ? constants.SSL_OP_NO_TICKET : 0,
    };
    const server = createServer({ ...options, handshakeTimeout: requestMs, ALPNProtocols: ["http/1.1"] });
    server.on("secureConnection", (socket) => {
      handshakes.delete(peerOf(socket));
      settings.set(socket, tls);
      if (isAcceptable(tls, socket)) return onConnection(socket);
      onRefusal("client certificate", socket.remoteAddress);
      socket.destroy();
    });
    server.on("tlsClientError", (_error, socket) => socket.destroy());
    current = { tls, server };
    return server;
  }

  async function accept(socket: Socket): Promise<void> {
    const peer = peerOf(socket);
    handshakes.set(peer, socket);
    socket.on("close", () => handshakes.delete(peer)).on("error", () => socket.destroy());
    const config: WebConfig | undefined = await web.current().catch(() => undefined);
    if (socket.destroyed) return;
    if (config?.tls) serverFor(config.tls).emit("connection", socket);
    else socket.destroy();
  }

  return {
    accept: (socket) => void accept(socket),
    isCurrent: (socket, tls) => settings.get(socket) === tls && !(tls && hasExpired(tls, socket)),
    close: () => {
      for (const socket of handshakes.values()) socket.destroy();
    },
  };
}

function hasExpired({ clientAuth }: WebTls, socket: Socket): boolean {
  if (!verifies(clientAuth)) return false;
  const certificate = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
  return certificate !== undefined && certificate.validToDate.getTime() < Date.now();
}

/** The rules of Go's `tls.ClientAuthType`, whose names the exporter-toolkit uses. */
function isAcceptable({ clientAuth, allowedSans }: WebTls, socket: TLSSocket): boolean {
  if (clientAuth === "none" || clientAuth === "request") return true;
  const certificate = socket.getPeerX509Certificate();
  if (!certificate) return clientAuth === "verify if given";
  if (verifies(clientAuth) && !socket.authorized) return false;
  return !allowedSans || hasAllowedName(certificate, allowedSans);
}

function verifies(clientAuth: ClientAuth): boolean {
  return clientAuth === "verify if given" || clientAuth === "require and verify";
}
