import type * as Http from "node:http";
import type * as Https from "node:https";
import { constants, type X509Certificate } from "node:crypto";
import { createRequire } from "node:module";
import { type Server, type Socket, isIPv6, SocketAddress } from "node:net";
import type { TLSSocket } from "node:tls";
import { isDeepStrictEqual } from "node:util";
import type { OnRefusal } from "./router.ts";
import type { WebTls } from "../config/web/schema.ts";

/** As in server.ts. */
const https: typeof Https = createRequire(import.meta.url)("node:https");

export interface TlsServer {
  readonly server: Https.Server;
  /** Gives the settings to new connections. */
  use(tls: WebTls): void;
  /** Whether the connection was accepted with the newest settings. */
  isCurrent(socket: Socket): boolean;
}

/** An HTTPS server that accepts only clients whose certificate is acceptable. */
export function createTlsServer(
  initial: WebTls,
  settings: Http.ServerOptions,
  handle: Http.RequestListener,
  onRefusal: OnRefusal,
): TlsServer {
  let current = initial;
  const accepted = new WeakMap<Socket, WebTls>();
  const asks = initial.clientAuth !== "none";
  // A resumed session would show the certificate of an earlier handshake, without verifying it again.
  const contextOf = ({ options }: WebTls) => ({
    ...options,
    ...(asks && { secureOptions: constants.SSL_OP_NO_TICKET }),
  });
  const server = https.createServer(
    {
      ...settings,
      ...contextOf(initial),
      handshakeTimeout: HANDSHAKE_MS,
      requestCert: asks,
      // `isAcceptable` checks the certificate after the handshake.
      rejectUnauthorized: false,
    },
    handle,
  );
  server.on("secureConnection", (socket) => {
    if (isAcceptable(current, socket)) return void accepted.set(socket, current);
    onRefusal("client certificate", socket.remoteAddress);
    socket.destroy();
  });
  const open = new Map<string, Socket>();
  const listener: Server = server;
  listener.on("connection", (socket) => {
    const peer = `${socket.remoteAddress} ${socket.remotePort}`;
    open.set(peer, socket);
    socket.once("close", () => open.delete(peer));
  });
  server.on("tlsClientError", (error, { remoteAddress, remotePort }) => {
    if (!("code" in error) || error.code !== "ERR_SSL_HTTP_REQUEST") return;
    const plain = open.get(`${remoteAddress} ${remotePort}`);
    plain?.end(PLAIN_HTTP, () => plain.destroy());
  });
  return {
    server,
    use: (tls) => {
      // If only another file has changed, this is a new object with equal fields.
      if (isDeepStrictEqual(tls, current)) return;
      current = tls;
      server.setSecureContext(contextOf(tls));
    },
    isCurrent: (socket) => accepted.get(socket) === current,
  };
}

/** As Go's server answers. */
const PLAIN_HTTP = "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";

/** A stop waits for handshakes. */
const HANDSHAKE_MS = 5000;

/** The rules of Go's `tls.ClientAuthType`, whose names the exporter-toolkit uses. */
function isAcceptable({ clientAuth, allowedSans }: WebTls, socket: TLSSocket): boolean {
  if (clientAuth === "none" || clientAuth === "request") return true;
  const certificate = socket.getPeerX509Certificate();
  if (!certificate) return clientAuth === "verify if given";
  if (clientAuth !== "require" && !socket.authorized) return false;
  return !allowedSans || hasAllowedName(certificate, allowedSans);
}

/** Whether one of the certificate's subject alternative names is an allowed one, as a whole and in its case. */
export function hasAllowedName(
  { subjectAltName = "" }: Pick<X509Certificate, "subjectAltName">,
  allowed: readonly string[],
): boolean {
  const wanted = new Set(allowed.map(canonical));
  return [...subjectAltName.matchAll(ENTRY)].some(
    ([, kind = "", text = ""]) => KINDS.has(kind) && wanted.has(canonical(unquoted(text))),
  );
}

/** Node puts a name with a comma or a quote into quotes, as in JSON. Each entry begins where the previous one ends. */
const ENTRY = /(?:, )?([A-Za-z ]+):("(?:[^"\\]|\\.)*"|[^,"]*)/gy;

const KINDS: ReadonlySet<string> = new Set(["DNS", "IP Address", "email", "URI"]);

function unquoted(text: string): string {
  return text.startsWith('"') ? String(JSON.parse(text)) : text;
}

/** An IPv6 address has several forms. */
function canonical(name: string): string {
  return isIPv6(name) ? new SocketAddress({ address: name, family: "ipv6" }).address : name;
}
