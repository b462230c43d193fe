import type { TlsOptions } from "node:tls";

/** The web configuration after its check: how the exporter serves, and who has access. */
export interface WebConfig {
  /** Undefined: plain HTTP. */
  readonly tls: WebTls | undefined;
  /** Values by name. An empty header is not sent. */
  readonly headers: ReadonlyMap<string, string>;
  /** bcrypt hashes of passwords, by user. Without users there is no authentication. */
  readonly users: ReadonlyMap<string, string>;
}

export interface WebTls {
  /** Certificate, key and what the handshake allows. */
  readonly options: TlsOptions & { readonly cert: string; readonly key: string };
  /** When the certificate expires, epoch milliseconds. */
  readonly certificateEndMs?: number;
  readonly clientAuth: ClientAuth;
  /** A client's certificate must have one of these names; undefined: any name is accepted. */
  readonly allowedSans: readonly string[] | undefined;
}

/** Whether the server requests or requires a client certificate, and whether it verifies it. */
export type ClientAuth = "none" | "request" | "require" | "verify if given" | "require and verify";

/** The source of the web configuration. It is read again for each use, as in the exporter-toolkit. */
export interface WebSource {
  /** What the process started with. Whether it serves TLS and asks for client certificates changes by a restart only. */
  readonly initial: WebConfig;
  /** The current configuration; undefined when it cannot be used. */
  current(): Promise<WebConfig | undefined>;
  /** Whether the files could be used when they were last read. If not, the previous certificate may still be in use. */
  isUpToDate(): boolean;
  /** When the certificate in use expires, epoch milliseconds; undefined without TLS. */
  certificateEndMs?(): number | undefined;
}
