import { BlockList, isIP, isIPv6 } from "node:net";
import type { ProxyConfig } from "./config.ts";
import { isLoopback } from "./gateway-section.ts";
import type { Report } from "./rules.ts";
import { holdSecrets } from "../secrets/redact.ts";
import { Secret } from "../secrets/secret.ts";
import type { Environment } from "../secrets/secret-source.ts";

/**
 * The proxy that `HTTPS_PROXY` (`HTTP_PROXY` for http) names for the gateway, undefined where `NO_PROXY` excepts its
 * host. A gateway on this machine has none, as in Prometheus.
 */
export function proxyOf(
  baseUrl: string | undefined,
  env: Environment,
  report: Report,
): ProxyConfig | undefined {
  if (baseUrl === undefined) return undefined;
  const gateway = new URL(baseUrl);
  const [variable, written] = variableOf(gateway.protocol === "http:" ? "http_proxy" : "https_proxy", env);
  const [, exceptions] = variableOf("no_proxy", env);
  if (written === "" || isLoopback(gateway.hostname) || excepts(exceptions, gateway)) return undefined;
  const url = proxyUrl(written);
  if (url) return { url: url.origin, login: loginOf(url) };
  report(
    ["gateway", "base_url"],
    `cannot be reached through the proxy of ${variable}, which is not an http or https URL such as http://proxy.example:3128`,
  );
  return undefined;
}

/** The lower-case variable wins, even if it is empty. */
function variableOf(name: string, env: Environment): readonly [variable: string, value: string] {
  const variable = env[name] === undefined ? name.toUpperCase() : name;
  return [variable, env[variable]?.trim() ?? ""];
}

/**
 * Whether a list covers the gateway, by the rules of undici's agent: `*`, an address, a host with its subdomains, or
 * `*.host` for the subdomains only; each with or without a port. As in Go, also a range of addresses (`10.0.0.0/8`).
 */
function excepts(list: string, { protocol, hostname, port }: URL): boolean {
  const host = hostname.replace(/\.$/, "");
  const [any, whole] = [host, `${host}:${port || (protocol === "http:" ? "80" : "443")}`];
  const exact = ["*", whole.replace(host, "*"), any, whole];
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      if (entry.includes("/")) return isInRange(host.replaceAll(/[[\]]/g, ""), entry);
      const name = isIPv6(entry) ? `[${entry}]` : entry.replace(/^\*?\./, "").replace(/\.(?=:|$)/, "");
      const isHost = !entry.startsWith("*.") && exact.includes(name);
      return isHost || any.endsWith(`.${name}`) || whole.endsWith(`.${name}`);
    });
}

function isInRange(address: string, range: string): boolean {
  const family = isIPv6(address) ? "ipv6" : "ipv4";
  const [network = "", bits = ""] = range.split("/");
  const list = new BlockList();
  try {
    list.addSubnet(network, Number(bits), family);
    return isIP(address) !== 0 && list.check(address, family);
  } catch {
    return false;
  }
}

/** The URL of a proxy: http or https without a path. A host and a port without scheme are http. */
export function proxyUrl(written: string): URL | undefined {
  const text = written.includes("://") ? written : `http://${written}`;
  const url = URL.parse(text);
  const isRoot = url?.pathname === "/" && url.search === "" && url.hash === "";
  return isRoot && /^https?:$/.test(url.protocol) ? url : undefined;
}

function loginOf({ username, password }: URL): Secret | undefined {
  if (username === "" && password === "") return undefined;
  const [user, word] = [decoded(username), decoded(password)];
  const login = new Secret(Buffer.from(`${user}:${word}`).toString("base64"));
  holdSecrets("proxy", [word, login.reveal()]);
  return login;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
