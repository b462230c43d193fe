import { REACH_DAYS } from "../../backfill/plan.ts";
import { nearestName } from "../../nearest-name.ts";
import { REPORT_DIMENSIONS, type ReportDimension } from "../../reports/report.ts";
import { DEFAULT_PORT } from "../../config/schema.ts";
import type { ListenAddress } from "../../http/server.ts";
import { formatDuration, parseDuration } from "../../time/duration.ts";
import { utcMilliseconds } from "../../time/utc-time.ts";
import { DAY_MS, MINUTE_MS } from "../../time/window.ts";

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

/** Without a slash at the end; empty: none. */
export function routePrefix(text: string): string {
  const path = text.replace(/^\/*|\/+$/g, "");
  if (path === "") return "";
  if (/^[\w.~-]+(?:\/[\w.~-]+)*$/.test(path)) return `/${path}`;
  throw new UsageError(
    `Cannot serve below "${text}" (--web.route-prefix): expected a path such as /aigateway`,
  );
}

export function telemetryPath(text: string): string {
  if (/^\/[\w./-]+$/.test(text) && !OWN_PATHS.test(text)) return text;
  throw new UsageError(
    `Cannot serve metrics at "${text}" (--web.telemetry-path): expected a path other than /, /-/…, /api/… and those of pages (/keys/…, /account, /models, /apps), such as /metrics`,
  );
}

const OWN_PATHS = /^\/(?:(?:-|api|keys)\/|account$|(?:models|apps)(?:\/|$))/;

export function allowedHosts(text: string): readonly string[] {
  if (text === "") return [];
  return text.split(",").map((host) => {
    if (/^(?:\[[\da-f:.]+\]|[\w.-]+)$/i.test(host)) return host.toLowerCase();
    throw new UsageError(
      `Cannot serve the host "${host}" (--web.allowed-hosts): expected names or addresses without port, separated by commas, such as exporter.example,[::1]`,
    );
  });
}

/** Milliseconds; 0 is never. */
export function autoReloadInterval(text: string): number {
  const ms = parseDuration(text);
  if (ms === 0 || (ms !== undefined && ms >= 1000 && ms <= DAY_MS)) return ms;
  throw new UsageError(
    `Cannot look for changes every "${text}" (--config.auto-reload-interval): expected a duration from 1s to 1d, or 0s to reload on request only`,
  );
}

/** One or two dimensions, separated by a comma. */
export function reportDimensions(text: string): readonly ReportDimension[] {
  const names = text.split(",");
  const found = REPORT_DIMENSIONS.filter((one) => names.includes(one));
  if (found.length === names.length && names.length <= 2)
    return found.toSorted((one, other) => names.indexOf(one) - names.indexOf(other));
  const unknown = names.find((name) => !REPORT_DIMENSIONS.some((one) => one === name));
  const nearest = unknown === undefined ? undefined : nearestName(unknown, REPORT_DIMENSIONS);
  const advice = nearest === undefined ? "" : `\n(Did you mean ${nearest}?)`;
  throw new UsageError(
    `Cannot divide by "${text}" (--by): expected one or two of ${REPORT_DIMENSIONS.join(", ")}, such as team,key${advice}`,
  );
}

export function waitMs(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms <= 10 * MINUTE_MS) return ms;
  throw new UsageError(`Cannot wait for "${text}" (--wait): expected a duration up to 10m, such as 30s`);
}

export function integer(flag: string, least: number, most: number): (text: string) => number {
  return (text) => {
    if (/^\d{1,6}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
    throw new UsageError(
      `Unknown value "${text}" of --${flag}: expected an integer from ${least} to ${most}`,
    );
  };
}

/** A path is appended, so a query or fragment is refused. */
export function link(flag: string): (text: string) => string {
  return (text) => {
    if (/^https?:\/\/[^\s"#?{}]+$/.test(text) && URL.canParse(text)) return text.replace(/\/+$/, "");
    throw new UsageError(
      `Cannot link to "${text}" (--${flag}): expected a URL without query and fragment, such as https://wiki.example/alerts.md`,
    );
  };
}

export function intervalSeconds(flag: string): (text: string) => number {
  return (text) => {
    const ms = parseDuration(text) ?? 0;
    if (ms >= 1000 && ms <= DAY_MS) return Math.ceil(ms / 1000);
    throw new UsageError(
      `Cannot use the interval "${text}" (--${flag}): expected a duration from 1s to 1d, such as 5m`,
    );
  };
}

export function numberOfDays(text: string): number {
  const days = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (days >= 1 && days <= REACH_DAYS) return days;
  throw new UsageError(
    `Cannot backfill "${text}" days (--days): expected a number from 1 to ${REACH_DAYS}, as far as gateways remember`,
  );
}

/** Epoch milliseconds. */
export function untilTime(text: string): number {
  const ms = utcMilliseconds(text);
  if (ms !== undefined) return ms;
  throw new UsageError(`Cannot end at "${text}" (--until): expected a UTC time such as 2026-11-18T08:30:00Z`);
}

/** Prometheus forgets a value after five minutes. */
export const STEP_MS = 5 * MINUTE_MS;

/** A day has a whole number of steps, so that its last sample shows all of it. */
export function stepMs(text: string): number {
  const ms = parseDuration(text) ?? 0;
  if (ms >= MINUTE_MS && DAY_MS % ms === 0) return ms;
  throw new UsageError(
    `Cannot write a sample every "${text}" (--step): expected a duration from 1m that divides a day, such as ${formatDuration(STEP_MS)} or 1h`,
  );
}

/** The server to ask, without a slash at the end. Its password is not part of a message. */
export function serverUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "")
    throw new UsageError(
      "Cannot ask the server (--url): expected a URL without query and fragment, such as http://localhost:9090",
    );
  try {
    decodeURIComponent(`${url.username}:${url.password}`);
  } catch {
    throw new UsageError("Cannot ask the server (--url): write % as %25 in its user and password");
  }
  return url.href.replace(/\/+$/, "");
}

/** The command line is wrong. The message names the mistake and what was expected. Exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
