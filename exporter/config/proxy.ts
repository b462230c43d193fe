import type { GatewayConfig, ProxyConfig } from "./config.ts";
import type { Problem } from "./problem.ts";
import { Secret } from "./secret.ts";
import type { Environment } from "./secret-source.ts";

/**
 * The proxy that the environment names for the gateway: `HTTPS_PROXY`, or `HTTP_PROXY` for an http URL. A gateway on this
 * machine has none, as in Prometheus.
 */
export function proxyOf(
  { baseUrl }: Pick<GatewayConfig, "baseUrl">,
  isLocal: boolean,
  env: Environment,
): { readonly proxy: ProxyConfig | undefined } | Problem {
  const [variable, written] = variableOf(baseUrl.startsWith("https:") ? "https_proxy" : "http_proxy", env);
  if (written === "" || isLocal) return { proxy: undefined };
  const url = parsedUrl(written);
  if (!url) {
    const message = `cannot be reached through the proxy of ${variable}, which is not an http or https URL such as http://proxy.example:3128`;
    return { path: "gateway.base_url", message };
  }
  const password = decoded(url.password);
  const proxy = {
    url: url.origin,
    user: decoded(url.username),
    password: password === "" ? undefined : new Secret(password),
    bypass: variableOf("no_proxy", env)[1],
  };
  return { proxy };
}

/** The small letters go first, even if the value is empty. */
function variableOf(name: string, env: Environment): readonly [variable: string, value: string] {
  const variable = env[name] === undefined ? name.toUpperCase() : name;
  return [variable, env[variable] ?? ""];
}

/** A host and a port without scheme are http. */
function parsedUrl(written: string): URL | undefined {
  const text = written.includes("://") ? written : `http://${written}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isRoot = url?.pathname === "/" && url.search === "" && url.hash === "";
  return isRoot && /^https?:$/.test(url.protocol) ? url : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
