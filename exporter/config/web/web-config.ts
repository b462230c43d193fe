import type { TlsOptions } from "node:tls";

/** The web configuration after its check: how the exporter serves, and whom. */
export interface WebConfig {
  /** Absent: plain HTTP. */
  readonly tls: WebTls | undefined;
  /** By name; one that is empty is not sent. */
  readonly headers: ReadonlyMap<string, string>;
  /** bcrypt hashes of passwords, by user. Without users nobody is asked. */
  readonly users: ReadonlyMap<string, string>;
}

export interface WebTls {
  /** Certificate, key and what the handshake allows. */
  readonly options: TlsOptions;
  readonly clientAuth: ClientAuth;
  /** Of which a client's certificate must have one; absent: it may have any. */
  readonly allowedSans: readonly string[] | undefined;
}

/** What is asked of clients: their certificate, whether they must have one, and whether it is checked. */
export type ClientAuth = "none" | "request" | "require" | "verify if given" | "require and verify";

/** Where the web configuration comes from. It is read again for each use, as the exporter-toolkit does. */
export interface WebSource {
  /** Whether it is TLS that is served; only a restart changes that. */
  readonly isSecure: boolean;
  /** Undefined: it cannot be used as it is now. */
  current(): Promise<WebConfig | undefined>;
  /** Whether the files could be used when they were last read. If not, and it serves, it does by the certificate before. */
  isUpToDate(): boolean;
}
