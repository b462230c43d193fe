/** What a client may take of the server. Times are real time: they are about sockets. */
export interface Limits {
  readonly headerBytes: number;
  /** From the connection, or the first byte of a further request, to the last byte of the request; a TLS handshake, too. */
  readonly requestMs: number;
  /** How often it is looked whether a request is late. */
  readonly checkMs: number;
  /** How long nothing may be taken of an answer. */
  readonly stallMs: number;
  /** How long an answer may take in all. */
  readonly answerMs: number;
  /** How long a connection may be idle between two requests: longer than Prometheus keeps its own, so that it ends them. */
  readonly keepAliveMs: number;
  /** At once; further ones are closed. */
  readonly connections: number;
  /** After which a stop does not wait for clients any more. */
  readonly stopMs: number;
}

export const LIMITS: Limits = {
  headerBytes: 16_384,
  requestMs: 10_000,
  checkMs: 1000,
  stallMs: 30_000,
  answerMs: 60_000,
  keepAliveMs: 330_000,
  connections: 512,
  stopMs: 5000,
};

/** Scrapes that are answered at once, as in node_exporter. */
export const MAX_REQUESTS = 40;
