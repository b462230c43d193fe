import { DEFAULT_PORT } from "../../config/schema.ts";
import type { ListenAddress } from "../../http/server.ts";
import { UsageError } from "./usage-error.ts";

/** The value of `--web.listen-address`. @throws UsageError, as the others do. */
export function listenAddress(text: string): ListenAddress {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (!match || port > 65_535) {
    throw new UsageError(
      `Cannot listen on "${text}" (--web.listen-address): expected host:port, such as :${DEFAULT_PORT} or 127.0.0.1:${DEFAULT_PORT}`,
    );
  }
  const host = match[1] ?? match[2];
  return { host: host === "" ? undefined : host, port };
}

export function telemetryPath(text: string): string {
  if (/^\/[\w./-]+$/.test(text) && !OWN_PATHS.test(text)) return text;
  throw new UsageError(
    `Cannot serve metrics at "${text}" (--web.telemetry-path): expected a path other than /, /-/…, /api/… and those of pages (/keys/…, /account, /models, /apps), such as /metrics`,
  );
}

const OWN_PATHS = /^\/(?:(?:-|api|keys)\/|account$|(?:models|apps)(?:\/|$))/;

/** Empty means no file, as in Prometheus' exporters. */
export function webConfigFile(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}

export function allowedHosts(text: string): readonly string[] {
  if (text === "") return [];
  return text.split(",").map((host) => {
    if (/^(?:\[[\da-f:.]+\]|[\w.-]+)$/i.test(host)) return host.toLowerCase();
    throw new UsageError(
      `Cannot serve the host "${host}" (--web.allowed-hosts): expected names or addresses without port, separated by commas, such as exporter.example,[::1]`,
    );
  });
}

export function maxRequests(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new UsageError(
    `Cannot limit scrapes to "${text}" (--web.max-requests): expected an integer from 0 to 999999`,
  );
}
