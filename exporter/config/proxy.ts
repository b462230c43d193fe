import { isIPv6 } from "node:net";
import type { ProxyConfig } from "./config.ts";
import { isLoopback } from "./gateway-section.ts";
import type { Problem } from "./problem.ts";
import { rememberSecrets, Secret } from "./secret.ts";
import type { Environment } from "./secret-source.ts";

/**
 * The proxy that `HTTPS_PROXY` names for the gateway, undefined where `NO_PROXY` excepts its host. A gateway on this
 * machine, the only one that http is allowed for, has none, as in Prometheus.
 */
export function proxyOf(
  baseUrl: string | undefined,
  env: Environment,
): { readonly proxy?: ProxyConfig; readonly problems: readonly Problem[] } {
  if (baseUrl === undefined) return { problems: [] };
  const gateway = new URL(baseUrl);
  const [variable, written] = variableOf("https_proxy", env);
  const [, exceptions] = variableOf("no_proxy", env);
  if (written === "" || isLoopback(gateway.hostname) || excepts(exceptions, gateway)) return { problems: [] };
  const url = parsedUrl(written);
  if (!url) {
    const message = `cannot be reached through the proxy of ${variable}, which is not an http or https URL such as http://proxy.example:3128`;
    return { problems: [{ path: "gateway.base_url", message }] };
  }
  return { proxy: { url: url.origin, login: loginOf(url) }, problems: [] };
}

/** The small letters go first, even if the value is empty. */
function variableOf(name: string, env: Environment): readonly [variable: string, value: string] {
  const variable = env[name] === undefined ? name.toUpperCase() : name;
  return [variable, env[variable]?.trim() ?? ""];
}

/**
 * Whether a list covers the gateway, by the rules of undici's agent: `*`, an address, a host with its subdomains, or
 * `*.host` for the subdomains only; each with or without a port.
 */
function excepts(list: string, { hostname, port }: URL): boolean {
  const host = hostname.replace(/\.$/, "");
  const [any, whole] = [host, `${host}:${port || "443"}`];
  const exact = ["*", whole.replace(host, "*"), any, whole];
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      const name = isIPv6(entry) ? `[${entry}]` : entry.replace(/^\*?\./, "").replace(/\.(?=:|$)/, "");
      const isHost = !entry.startsWith("*.") && exact.includes(name);
      return isHost || any.endsWith(`.${name}`) || whole.endsWith(`.${name}`);
    });
}

/** A host and a port without scheme are http. */
function parsedUrl(written: string): URL | undefined {
  const text = written.includes("://") ? written : `http://${written}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isRoot = url?.pathname === "/" && url.search === "" && url.hash === "";
  return isRoot && /^https?:$/.test(url.protocol) ? url : undefined;
}

function loginOf({ username, password }: URL): Secret | undefined {
  if (username === "" && password === "") return undefined;
  const [user, word] = [decoded(username), decoded(password)];
  const login = new Secret(Buffer.from(`${user}:${word}`).toString("base64"));
  rememberSecrets(login, [word]);
  return login;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
