import { z } from "zod";
import { formatDuration } from "../time/duration.ts";
import { broken, byteSize, duration, flag, integer, list, path, refuse, section, text } from "./field.ts";
import { quote } from "../secrets/quote.ts";
import { has, right, withRules } from "./rules.ts";
import { checkSecret, variable } from "./secret-fields.ts";

const URL_RULE = "an https URL of the gateway's API root (http for localhost, or with allow_http)";

const baseUrl = z
  .string(broken(URL_RULE))
  .transform((written, context) => {
    const fault = baseUrlFault(written);
    // A URL that may contain a password is not shown.
    if (fault !== undefined)
      return refuse(context, `${/[@?#]/.test(written) ? "the URL" : quote(written)} ${fault}`);
    const url = new URL(written);
    return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
  })
  .meta({ rule: URL_RULE, type: "URL" });

export const HEADER_FIELDS = ["value_file", "value_env"] as const;

/** The exporter sets these itself, or they belong to the connection. */
const OWN_HEADER =
  /^(?:authorization|accept|accept-encoding|content-.*|host|connection|transfer-encoding|user-agent|upgrade|expect|te|proxy-.*)$/i;

const headerSection = withRules(
  section({
    name: text(1, 256)
      .refine((name) => /^[\w!#$%&'*+.^`|~-]+$/.test(name) && !OWN_HEADER.test(name), {
        error: ({ input }) => `${quote(input)} is not a header that can be added`,
      })
      .describe("Name of the header."),
    value_file: path().optional().describe("File that holds its value. Either this or `value_env`."),
    value_env: variable().optional().describe("Environment variable that holds its value."),
  }),
  (header, report) => checkSecret(header, HEADER_FIELDS, report),
);

const tlsSection = withRules(
  section({
    ca_file: path()
      .optional()
      .describe(
        "Certificates (PEM) of the authorities that may sign the gateway's, instead of the public ones.",
      ),
    cert_file: path().optional().describe("Client certificate (PEM) with its chain; needs `key_file`."),
    key_file: path().optional().describe("Key of the client certificate (PEM), without a passphrase."),
  }),
  (tls, report) => {
    if (has(tls, "cert_file") !== has(tls, "key_file")) report([], "needs cert_file and key_file together");
  },
);

/** The section `gateway.tls` after its check. */
export type GatewayTlsSection = z.output<typeof tlsSection>;

/** The section `gateway`. */
export const gatewaySection = withRules(
  section({
    base_url: baseUrl.describe(
      "Root of the gateway's API, including the version segment. A trailing slash is ignored.",
    ),
    allow_http: flag()
      .prefault(false)
      .describe(
        "Allow http to a host other than localhost, such as a gateway inside the cluster. Anyone on the network path can read the keys.",
      ),
    tls: tlsSection
      .optional()
      .describe(
        "Certificates for the connection to the gateway. Changed files are used after a reload, with `--config.auto-reload-interval` by itself.",
      ),
    headers: list(headerSection)
      .prefault([])
      .describe("Further headers of every request, such as those of an access proxy. Never shown."),
    timeout: duration("100ms", "10m", "10s")
      .prefault("10s")
      .describe("Time limit of one attempt of a request, up to the last byte of the body."),
    deadline: duration("100ms", "1h", "30s")
      .prefault("30s")
      .describe("Time limit of a request with all its retries; at least `timeout`."),
    requests_per_minute: integer(0, 1_000_000)
      .prefault(600)
      .describe("Requests for keys per minute, over all keys; 0 is unlimited."),
    connections: integer(1, 1024).prefault(64).describe("Maximum number of concurrent requests."),
    max_pause: duration("1s", "1d", "5m")
      .prefault("5m")
      .describe("Longest pause of a key or an endpoint that the gateway can request (`Retry-After`)."),
    max_body: byteSize("1KiB", "16MiB", "2MiB")
      .prefault("2MiB")
      .describe("Largest accepted answer; a larger one is a failure. One above 2 MiB may delay a scrape."),
  }),
  (gateway, report) => {
    const url = right(gateway, "base_url");
    const { protocol, hostname } = url === undefined ? LOOPBACK : new URL(url);
    if (protocol === "http:" && !isLoopback(hostname) && right(gateway, "allow_http") !== true)
      report(
        ["base_url"],
        `${quote(url)} must use https, because keys are sent to it; http is allowed for localhost, or with gateway.allow_http: true`,
      );
    const [timeout, deadline] = [right(gateway, "timeout"), right(gateway, "deadline")];
    if (timeout !== undefined && deadline !== undefined && deadline < timeout)
      report(
        ["deadline"],
        `${formatDuration(deadline)} is shorter than gateway.timeout, ${formatDuration(timeout)}`,
      );
  },
);

/** What is wrong with the URL of the service's versioned API root (contract 1), without the URL. */
function baseUrlFault(written: string): string | undefined {
  const url = URL_FORM.test(written) ? URL.parse(written) : null;
  if (!url) return "is not an http or https URL";
  if (written.split("/")[2]?.includes("@")) return "must not contain credentials";
  if (/[?#]/.test(written)) return "must not have a query or a fragment";
  return undefined;
}

const LOOPBACK = new URL("http://localhost");

// Stricter than the URL parser, which accepts https:host, backslashes and white space.
const URL_FORM = /^https?:\/\/[^\s\\/][^\s\\]*$/i;

/** Whether the host of a URL is this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
