import type { X509Certificate } from "node:crypto";
import { isIP, SocketAddress, type Socket } from "node:net";
import { createServer, type Server as TlsServer, type TLSSocket } from "node:tls";
import type { WebConfig, WebSource, WebTls } from "../config/web/web-config.ts";
import type { Limits } from "./limits.ts";

/** Turns connections into TLS connections, each by the web configuration as it is then. */
export interface SecureDoor {
  open(socket: Socket): void;
  /** Ends the handshakes that are under way. */
  close(): void;
}

export function createSecureDoor(
  web: WebSource,
  { requestMs }: Limits,
  onOpen: (socket: TLSSocket) => void,
): SecureDoor {
  const waiting = new Set<Socket>();
  let current: { readonly tls: WebTls; readonly server: TlsServer } | undefined;

  function serverOf(tls: WebTls): TlsServer {
    if (current?.tls === tls) return current.server;
    const asks = tls.clientAuth !== "none";
    // Whether a certificate is good enough is decided after the handshake.
    const options = { ...tls.options, requestCert: asks, rejectUnauthorized: false };
    const server = createServer({ ...options, handshakeTimeout: requestMs, ALPNProtocols: ["http/1.1"] });
    server.on("secureConnection", (socket) => {
      if (isWelcome(tls, socket)) onOpen(socket);
      else socket.destroy();
    });
    server.on("tlsClientError", (_error, socket) => socket.destroy());
    current = { tls, server };
    return server;
  }

  async function open(socket: Socket): Promise<void> {
    waiting.add(socket);
    socket.on("close", () => waiting.delete(socket)).on("error", () => socket.destroy());
    const config: WebConfig | undefined = await web.current().catch(() => undefined);
    if (socket.destroyed) return;
    if (config?.tls) serverOf(config.tls).emit("connection", socket);
    else socket.destroy();
  }

  return {
    open: (socket) => void open(socket),
    close: () => {
      for (const socket of waiting) socket.destroy();
    },
  };
}

/** Go's rules, which the toolkit's names stand for. */
function isWelcome({ clientAuth, allowedSans }: WebTls, socket: TLSSocket): boolean {
  if (clientAuth === "none" || clientAuth === "request") return true;
  const certificate = socket.getPeerX509Certificate();
  if (!certificate) return clientAuth === "verify if given";
  if (clientAuth !== "require" && !socket.authorized) return false;
  return (
    !allowedSans || namesOf(certificate).some((name) => allowedSans.some((allowed) => isSame(name, allowed)))
  );
}

interface Name {
  readonly kind: string;
  readonly value: string;
}

/** The names of the subject, as Node writes them: a value with a special character is a JSON text. */
function namesOf({ subjectAltName }: X509Certificate): readonly Name[] {
  const names = (subjectAltName ?? "").matchAll(
    /(DNS|IP Address|email|URI):("(?:[^"\\]|\\.)*"|[^,]*)(?:, |$)/g,
  );
  return [...names].map(([, kind = "", value = ""]) => ({
    kind,
    value: value.startsWith('"') ? unquoted(value) : value,
  }));
}

function unquoted(text: string): string {
  const value: unknown = JSON.parse(text);
  return String(value);
}

function isSame({ kind, value }: Name, allowed: string): boolean {
  if (kind !== "IP Address") return value === allowed;
  return isIP(value) > 0 && isIP(allowed) > 0 && canonical(value) === canonical(allowed);
}

function canonical(address: string): string {
  return new SocketAddress({ address, family: isIP(address) === 6 ? "ipv6" : "ipv4" }).address;
}
