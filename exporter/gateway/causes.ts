import type { GatewayError } from "./errors.ts";
import type { Endpoint } from "./port.ts";

/** Why a request failed, and what to do about it. */
export interface Cause {
  /** The field `cause` of the log. */
  readonly name: string;
  /** The field of the configuration that it concerns: the address, the secret of the request, or the request itself. */
  readonly place: "address" | "proxy" | "secret" | "request";
  /** How it shows, for the documentation. */
  readonly sign: string;
  /** A sentence without final period. */
  readonly means: string;
  readonly advice: string;
}

/** What else is known when a request has failed. The running exporter knows the endpoint only. */
export interface Circumstances {
  readonly endpoint: Endpoint;
  /** Whether any other request got what it asked for. */
  readonly doOthersWork?: boolean;
  /** Whether another request with the same secret did. */
  readonly doesSecretWork?: boolean;
  /** Whether every request was answered with 404 or its like. */
  readonly isAllMissing?: boolean;
  /** Whether every request, with different secrets, failed with the same status and message. */
  readonly isAlike?: boolean;
  /** What the list of keys shows about the key that was refused. */
  readonly listed?: "disabled" | "expired" | undefined;
  /** What was asked of the account, if that has an advice of its own. */
  readonly asked?: "list" | "workspace" | "reach" | undefined;
}

/** The cause of a failure: the first row of the table that fits. */
export function causeOf(failure: GatewayError, circumstances: Circumstances): Cause {
  const { sent = "", code = "", ...details } = failure.details;
  const facts = { ...circumstances, ...details, failure, sent, code };
  const found = CAUSES.find(({ fits }) => fits(facts));
  if (!found) throw new Error(`No cause for ${failure.kind}`);
  return found;
}

/** The row of a name, for what the text of an alert or a check of answers says. @throws if there is none. */
export function causeNamed(name: string): Cause {
  const found = CAUSES.find((cause) => cause.name === name);
  if (!found) throw new Error(`No cause ${name}`);
  return found;
}

/** Whether the service answers that it has nothing at this path. */
export function isNotThere({ status, details: { sent = "" } }: GatewayError): boolean {
  return status === 404 || status === 405 || status === 501 || (status === 403 && PATH_WORDS.test(sent));
}

interface Facts extends Circumstances, Omit<GatewayError["details"], "sent" | "code"> {
  readonly failure: GatewayError;
  /** The message of the gateway, empty without one. */
  readonly sent: string;
  /** The code of the network's error, empty without one. */
  readonly code: string;
}

type Fits = (facts: Facts) => boolean;

/** A row of the table: name, place, sign, meaning, advice, and the failures that it fits. */
function row(
  [name, place]: readonly [string, Cause["place"]],
  fits: Fits,
  sign: string,
  means: string,
  advice: string,
): Cause & { readonly fits: Fits } {
  return { name, place, fits, sign, means, advice };
}

const coded =
  (pattern: RegExp): Fits =>
  ({ code }) =>
    pattern.test(code);
const viaProxy =
  (fits: Fits): Fits =>
  (facts) =>
    facts.proxy !== undefined && fits(facts);
const answered =
  (...statuses: readonly number[]): Fits =>
  ({ status }) =>
    status !== undefined && statuses.includes(status);
const isPage: Fits = ({ page }) => page !== undefined;
/** Whether a text, a web page or XML came instead of JSON. A text about the key is the gateway's. */
const isForeign: Fits = (facts) =>
  isPage(facts) || (facts.isText === true && !/key|token/i.test(facts.sent) && !LIMIT_WORDS.test(facts.sent));
const isKey: Fits = ({ endpoint }) => endpoint === "key" || endpoint === "transcription";
const isMissing: Fits = ({ failure }) => isNotThere(failure);
const isRefused = answered(401, 402, 403);
/** Whether the gateway names the limit behind a refusal, or describes it in words. */
const limited =
  (source: RegExp, words: RegExp): Fits =>
  (facts) =>
    (answered(402, 403)(facts) || (answered(400, 429)(facts) && EXCEEDED.test(facts.sent))) &&
    (facts.limitSource === undefined ? words.test(facts.sent) : source.test(facts.limitSource));
/** Some gateways send a used-up budget as 400 or 429. */
const EXCEEDED = /budget|quota/i;

/** Every cause. The first one that fits counts, so the special ones are above the general ones. */
// oxfmt-ignore
export const CAUSES = [
  row(["secret_unreadable", "secret"], ({ failure }) => failure.kind === "secret_unreadable", "`secret_unreadable`", "The secret cannot be read", "Correct the file or the variable"),
  row(["proxy_unknown", "proxy"], viaProxy(coded(/^(ENOTFOUND|EAI_AGAIN)$/)), "`ENOTFOUND` through a proxy", "DNS does not know the host of the proxy; the gateway was not asked", "Correct this variable, or name the host of the gateway in NO_PROXY"),
  row(["proxy_down", "proxy"], viaProxy(coded(/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH)$/)), "`ECONNREFUSED` through a proxy", "Nothing listens at the address of the proxy; the gateway was not asked", "Start the proxy, correct this variable, or name the host of the gateway in NO_PROXY"),
  row(["proxy_login", "proxy"], ({ proxyStatus }) => proxyStatus === 407, "the proxy answers 407", "The proxy wants a user and a password, or does not accept these", "Write them into this variable before the host: user:password@host:port"),
  row(["proxy_cut", "proxy"], ({ proxyStatus = 0 }) => proxyStatus >= 500, "the proxy answers 502, 503 or 504", "The proxy itself does not reach the gateway", "Check the host and port in gateway.base_url; if they are right, ask the operator of the proxy"),
  row(["proxy_refuses", "proxy"], ({ proxyStatus }) => proxyStatus !== undefined, "the proxy answers another status", "The proxy does not let the exporter reach the gateway", "Ask the operator of the proxy to allow the host and port of gateway.base_url"),
  row(["host_unknown", "address"], coded(/^ENOTFOUND$/), "`ENOTFOUND`", "DNS does not know this host", "Correct the host in gateway.base_url; if it is right, check the DNS of this machine"),
  row(["dns_down", "address"], coded(/^EAI_/), "`EAI_AGAIN`", "DNS does not answer, so the host cannot be found", "Check the DNS server of this machine, and whether a network policy blocks port 53"),
  row(["nothing_listens", "address"], coded(/^ECONNREFUSED$/), "`ECONNREFUSED`", "Nothing listens at this host and port", "Start the gateway, or correct the host and port in gateway.base_url"),
  row(["unreachable", "address"], coded(/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/), "`EHOSTUNREACH`, `UND_ERR_CONNECT_TIMEOUT`", "No connection to this host and port", "Check the route and the firewall; if the way out is a proxy, set HTTPS_PROXY"),
  row(["clock", "address"], coded(/^CERT_NOT_YET_VALID$/), "`CERT_NOT_YET_VALID`", "The certificate is not valid yet by the clock of this machine", "Set the clock of this machine (NTP); if it is right, the gateway's certificate is wrong"),
  row(["certificate_expired", "address"], coded(/^CERT_HAS_EXPIRED$/), "`CERT_HAS_EXPIRED`", "The certificate of this host has expired", "Ask the operator of the host to renew it; first check that the clock of this machine is right"),
  row(["certificate_host", "address"], coded(/ALTNAME|HOSTNAME_MISMATCH/), "`ERR_TLS_CERT_ALTNAME_INVALID`", "The certificate belongs to another host", "Use the host that the certificate names in gateway.base_url"),
  row(["client_certificate", "address"], (facts) => /ALERT_(?:BAD_CERTIFICATE|CERTIFICATE_|UNKNOWN_CA)/.test(facts.code) || (answered(400)(facts) && /ssl certificate/i.test(facts.page ?? "")), "`ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED`; 400, *No required SSL certificate was sent*", "The server wants a certificate of the exporter, or does not accept the one that it has", "Name it in gateway.tls.cert_file and gateway.tls.key_file"),
  row(["certificate_authority", "address"], coded(/CERT|^UNABLE_TO_|^INVALID_|^CRL_/), "`DEPTH_ZERO_SELF_SIGNED_CERT`, `UNABLE_TO_…`", "This machine does not trust who signed the certificate", "Name a file with the certificate of your certificate authority in gateway.tls.ca_file"),
  row(["not_tls", "address"], coded(/WRONG_VERSION_NUMBER|PACKET_LENGTH|HTTP_REQUEST|EPROTO/), "`ERR_SSL_WRONG_VERSION_NUMBER`", "The server does not use TLS at this port", "Correct the port in gateway.base_url, or write http:// (gateway.allow_http)"),
  row(["tls", "address"], coded(/SSL|TLS/), "other `ERR_SSL_…`", "The server breaks the TLS handshake off: it does not serve this host, has no common version of TLS with the exporter, or wants a client certificate", "Check the host in gateway.base_url; if it is right, ask the operator of the gateway to allow TLS 1.2 or 1.3, or for a certificate (gateway.tls.cert_file)"),
  row(["https_wanted", "address"], ({ status, sent, page }) => status === 400 && /https? (?:port|server)/i.test(`${sent} ${page}`), "400, *plain HTTP request was sent to HTTPS port*", "This port wants https, and the address begins with http", "Write https:// in gateway.base_url"),
  row(["not_http", "address"], coded(/HTTPParserError|HEADERS_OVERFLOW/), "`HTTPParserError`", "What listens at this port does not speak HTTP as a gateway does", "Correct the port in gateway.base_url"),
  row(["cut", "address"], ({ failure }) => failure.kind === "network", "`ECONNRESET`, `UND_ERR_SOCKET`", "The connection was closed before an answer", "Check the scheme (http or https) and the port of gateway.base_url, then what stands between: a firewall, a proxy, a service mesh"),
  row(["redirect", "address"], ({ status = 0 }) => status >= 300 && status < 400, "301, 302, 307, 308", "The address leads elsewhere, such as to a login page or to the address with https", "Set gateway.base_url to the final address of the API; if that is a login page, ask who runs it for a header that lets the exporter through (gateway.headers)"),
  row(["api_manager", "address"], ({ sent }) => API_MANAGER_WORDS.test(sent), "401, *missing subscription key*, *No API key found in request*", "An API management before the gateway wants a key of its own, in another header", "Add that header (gateway.headers), or use the address of the gateway itself"),
  row(["storage", "address"], (facts) => isPage(facts) && facts.page?.startsWith("XML") === true, "XML", "Another kind of service answers, such as a file storage", "Correct the host in gateway.base_url"),
  row(["edge_login", "address"], (facts) => isForeign(facts) && (answered(401)(facts) || (answered(200, 403)(facts) && LOGIN_PAGE.test(facts.page ?? ""))), "401 with HTML, or a page with *login* in its title", "A login answers instead of the gateway; the keys were not looked at", "Check that gateway.base_url is the address of the API, as in https://openrouter.ai/api/v1; if it is, sign this machine in to its network, or ask who runs the login for a header that lets the exporter through (gateway.headers)"),
  row(["edge", "address"], (facts) => (isForeign(facts) && (answered(402, 403, 406, 451)(facts) || BOT_PAGE.test(facts.page ?? ""))) || (answered(202)(facts) && facts.failure.kind === "bad_response") || (facts.isAlike === true && answered(403)(facts) && !LIMIT_WORDS.test(facts.sent) && !facts.limitSource && !isMissing(facts)), "403 without JSON, or the same 403 for every key", "A server before the gateway, such as bot protection or a firewall, refuses the exporter; the keys were not looked at", "Ask who runs it (at the gateway, or in your network) to let this machine and the user agent aigateway-exporter through, or for a header that does (gateway.headers)"),
  row(["edge_limit", "address"], (facts) => isPage(facts) && answered(429)(facts), "429 with HTML", "A server before the gateway refuses so many requests from this address", "Lower gateway.requests_per_minute, and ask who else uses this address"),
  row(["web_page", "address"], (facts) => isPage(facts) && facts.failure.kind === "bad_response", "200 with HTML", "A web page answers, not an API", "Add the path of the API to gateway.base_url, such as /api/v1; if the path is right, correct the host: something else answers there"),
  row(["wrong_path", "address"], (facts) => isMissing(facts) && (isKey(facts) ? facts.doOthersWork !== true : facts.isAllMissing === true), "404 for the keys, and nothing works; *Missing Authentication Token* from AWS", "The host answers, but has no GET /key at this path", "Correct gateway.base_url: the host, and the path, which ends before /key, as in https://openrouter.ai/api/v1; if both are right, this service does not report its keys and cannot be watched"),
  row(["no_list", "request"], (facts) => isMissing(facts) && facts.asked === "list", "404 for the list of keys", "The gateway has no list of keys", "Set discovery.enabled to false"),
  row(["no_workspace", "request"], (facts) => isMissing(facts) && facts.asked === "workspace", "404 for the keys of a workspace", "The gateway has no such workspace", "Correct the UUID in discovery.workspaces"),
  row(["reach", "request"], ({ failure, asked }) => failure.kind === "bad_request" && asked === "reach", "400 for a query that reaches far back", "On some days the window of this query begins earlier than the gateway remembers", "Choose a shorter window"),
  row(["not_offered", "request"], isMissing, "404, 405, 501 for some requests", "The gateway does not offer this", "If the gateway has no such operation, remove what needs it from the configuration, such as analytics or discovery"),
  row(["in_flight", "secret"], limited(/in_flight/, /in[- ]flight/i), "`limit: …_in_flight_budget`", "Too much spend is in flight at once; the limit frees itself as requests end", "Wait, or run fewer requests at once"),
  row(["shared_budget", "secret"], limited(/guardrail|workspace|member|budget/, /guardrail|workspace budget|budget (?:has been )?exceeded/i), "`limit: …_guardrail_budget`, `…_workspace_budget`", "A budget that the key shares with others is used up", "Raise that budget at the gateway (guardrail or workspace), or wait for its reset; the key itself is right"),
  row(["key_limit", "secret"], limited(/key/, /key.{0,20}limit|limit exceeded/i), "`limit: …_key_limit`, *Key limit exceeded*", "The key's own limit is used up", "Raise the limit of the key at the gateway, or wait for its reset; the secret is right"),
  row(["balance", "request"], (facts) => limited(/credits|balance/, /credit|balance|quota/i)(facts) || answered(402)(facts), "402, `limit: …_credits`", "The account has no credits left", "Buy credits; if there are some, look for a limit of the key or the workspace"),
  row(["rate_limit_analytics", "secret"], (facts) => answered(429)(facts) && facts.endpoint === "analytics", "429 for the analytics", "The analytics refuse so many queries; every user of this management key counts", "Ask less often with schedule.analytics, remove queries, or use a management key of its own"),
  row(["rate_limit", "address"], answered(429), "429", "The gateway refuses so many requests", "Lower gateway.requests_per_minute, or poll less often with schedule"),
  row(["slow", "address"], ({ failure }) => failure.kind === "timeout", "no answer in time, 408, 504, 524", "The gateway is reached, but does not answer in time", "Try again later; if it never answers, check the port in gateway.base_url; if it is always slow, raise gateway.timeout and gateway.deadline"),
  row(["down", "address"], ({ failure }) => failure.kind === "upstream_error", "500, 502, 503, 529", "The gateway, or what it depends on, is failing", "Try again later, or ask the operator of the gateway; if it has never worked, check the host in gateway.base_url"),
  row(["management_as_key", "secret"], (facts) => isRefused(facts) && isKey(facts) && MANAGEMENT_WORDS.test(facts.sent), "401 or 403 for a key, *management key*", "A management key stands where an ordinary key belongs", "Move it to analytics.management_key, and put an ordinary key here"),
  row(["key_disabled", "secret"], (facts) => isRefused(facts) && (facts.listed === "disabled" || /disabled|deactivated|blocked/i.test(facts.sent)), "401, *disabled*, or shown as such in the list of keys", "The key is disabled", "Enable it at the gateway, or remove it here"),
  row(["key_expired", "secret"], (facts) => isRefused(facts) && (facts.listed === "expired" || /expired/i.test(facts.sent)), "401, *expired*, or shown as such in the list of keys", "The key has expired", "Create a new one at the gateway, and write its secret here"),
  row(["all_unknown", "address"], (facts) => answered(401)(facts) && facts.isAlike === true, "401 for all keys alike", "This gateway knows none of the keys", "Check that gateway.base_url is the service, and the environment, that the keys come from"),
  row(["key_unknown", "secret"], (facts) => answered(401)(facts) && isKey(facts), "401 for a key", "The gateway does not know this key", "Copy its secret again from the gateway that gateway.base_url names; if it was deleted there, remove it here"),
  row(["management_unknown", "secret"], answered(401), "401 for the account or the analytics", "The gateway does not know this management key", "Copy its secret again from the page of management keys of the gateway"),
  row(["key_forbidden", "secret"], (facts) => answered(403)(facts) && isKey(facts), "403 for a key", "The gateway knows the key, but does not let it read its own usage, or something before the gateway refuses the exporter", "Try the key with curl from this machine: if curl gets an answer, ask the operator to let the exporter through, otherwise allow it at the gateway"),
  row(["not_permitted", "request"], (facts) => answered(403)(facts) && facts.doesSecretWork === true && !MANAGEMENT_WORDS.test(facts.sent), "403 for one request of the management key", "The management key works, but may not do this", "Allow it at the gateway, or remove it from the configuration"),
  row(["ordinary_as_management", "secret"], answered(403), "403 for the account and the analytics", "An ordinary key stands where a management key belongs", "Create a management key at the gateway, and write its secret into analytics.management_key"),
  row(["other_account", "secret"], () => false, "the key works, and is in no list of keys", "The key works, but is in no list of keys: it belongs to another account or workspace than analytics.management_key", "Use a key of this account, or a management key of its account, or name its workspace in discovery.workspaces; a key made by a sign-in (OAuth) is never listed"),
  row(["management_among_keys", "secret"], () => false, "the answer to GET /key says so", "It is a management key, which can change the account", "Put an ordinary key here, and this one into analytics.management_key"),
  row(["too_large", "address"], coded(/MAX_SIZE/), "`gateway.max_body`", "The answer is larger than the exporter accepts", "Raise gateway.max_body"),
  row(["other_form", "request"], ({ failure: { kind }, doOthersWork }) => kind === "bad_response" && doOthersWork === true, "200, not JSON or of another form, while other requests work", "This answer is not in the form that the exporter knows", "Try again; if it stays so, look for a newer version of the exporter, and report what the gateway answered"),
  row(["not_understood", "address"], ({ failure: { kind }, isAlike }) => kind === "bad_response" || (isAlike === true && kind === "bad_request"), "200, not JSON or of another form", "Something answers, but not in the form of this interface", "Check that gateway.base_url is the API of a gateway with the interface of OpenRouter; if it is, report what it answered"),
  row(["bad_request", "request"], () => true, "400 and other 4xx", "The gateway does not accept this request", "Correct what its message names; for a query of your own: its dimensions, metrics, filters or window. If a query that is built in is refused, the gateway is too old for this exporter"),
] satisfies readonly Cause[];

const BOT_PAGE =
  /just a moment|attention required|checking your browser|captcha|access denied|are you (?:a )?human|security check|verify(?:ing)? you|blocked/i;
const LOGIN_PAGE = /sign[- ]?in|log[- ]?in|authenticat/i;
const API_MANAGER_WORDS = /subscription key|no api key found in request/i;
/** What an AWS API Gateway answers at a path that it does not have. */
const PATH_WORDS = /^missing authentication token$/i;
const LIMIT_WORDS = /limit|quota|budget|credit|balance/i;
const MANAGEMENT_WORDS = /(?:management|provisioning|admin) key/i;
