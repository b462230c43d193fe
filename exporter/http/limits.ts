/**
 * Limits on one client's use of the server. They use real time, not the injected clock, because they bound sockets.
 */
export interface Limits {
  readonly headerBytes: number;
  /**
   * From the connection, or the first byte of a further request, to the last byte of the request. Bounds a
   * TLS handshake as well.
   */
  readonly requestMs: number;
  /** Interval of the checks for late requests. */
  readonly checkMs: number;
  /** Longest pause of a client while it reads an answer. */
  readonly stallMs: number;
  /** How long an answer may be unread while another one needs its place. */
  readonly unreadMs: number;
  /** Longest duration of a whole answer. */
  readonly answerMs: number;
  /**
   * How long a connection may be idle between two requests: longer than Prometheus keeps one, so that
   * Prometheus closes it.
   */
  readonly keepAliveMs: number;
  /** Maximum number of connections. A further one replaces the one that has been idle longest. */
  readonly connections: number;
  /** How long a stop waits for clients. */
  readonly stopMs: number;
}

export const LIMITS: Limits = {
  headerBytes: 16_384,
  requestMs: 10_000,
  checkMs: 1000,
  stallMs: 30_000,
  unreadMs: 1000,
  answerMs: 60_000,
  keepAliveMs: 330_000,
  connections: 512,
  stopMs: 5000,
};

/** Maximum number of concurrent scrapes, as in node_exporter. */
export const MAX_REQUESTS = 40;
