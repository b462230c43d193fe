import type { Output } from "@pulumi/pulumi";
import { Buffer } from "node:buffer";

/** Grafana as it is now. The engine itself knows only what its own state contains. */
export interface GrafanaClient {
  /** @throws on every failure except for a path where Grafana has nothing. */
  get(path: string): Promise<GrafanaAnswer>;
}

export interface GrafanaAnswer {
  readonly isFound: boolean;
  readonly body: unknown;
}

export interface GrafanaAccess {
  readonly url: string;
  readonly auth: Output<string>;
  /** Empty: that of the token or user. */
  readonly organization: string;
}

const TIMEOUT_MS = 20_000;

export function createGrafanaClient({ url, auth, organization }: GrafanaAccess): GrafanaClient {
  return {
    get: async (path) => {
      const credentials = await new Promise<string>((resolve) => void auth.apply(resolve));
      const headers = {
        authorization: authorizationOf(credentials),
        ...(organization === "" ? {} : { "x-grafana-org-id": organization }),
      };
      const address = `${url.replace(/\/+$/, "")}/api${path}`;
      const response = await fetch(address, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(
        (error: unknown) => {
          throw new Error(`Cannot reach Grafana at "${url}"; check grafanaUrl`, { cause: error });
        },
      );
      const isFound = response.status !== 404;
      if (isFound && !response.ok) {
        throw new Error(
          `Cannot ask Grafana for "${path}": it answered ${response.status}; check grafanaAuth`,
        );
      }
      const body: unknown = await response.json().catch(() => undefined);
      return { isFound, body };
    },
  };
}

function authorizationOf(credentials: string): string {
  return credentials.includes(":")
    ? `Basic ${Buffer.from(credentials).toString("base64")}`
    : `Bearer ${credentials}`;
}
