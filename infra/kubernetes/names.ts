/** What Kubernetes accepts, as patterns of regular expressions. */
const WORD = "[a-z0-9](?:[a-z0-9-]*[a-z0-9])?";

/** Of most objects; at most 253 characters. */
export const OBJECT_NAME = String.raw`${WORD}(?:\.${WORD})*`;

/** Of a namespace. */
export const NAMESPACE_NAME = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";

/** Of a label or annotation. */
export const LABEL_NAME = `(?:${OBJECT_NAME}/)?[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?`;

export const LABEL_VALUE = "(?:[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?";

/** Of an environment variable. */
export const VARIABLE_NAME = "[A-Za-z_][A-Za-z0-9_.-]*";

/** An amount of a resource. */
export const QUANTITY = String.raw`[0-9]+(?:\.[0-9]+)?(?:[numkMGTPE]|[KMGTPE]i|[eE][0-9]{1,2})?`;

/** Of volumes that the pod has or may have. */
export const OWN_VOLUMES = ["config", "audio", "ca", "web", "tls", "keys", "management"];

/** Of an endpoint of the Prometheus operator's ServiceMonitor or PodMonitor. */
export const ENDPOINT_FIELDS = (
  "authorization basicAuth bearerTokenFile bearerTokenSecret enableHttp2 filterRunning followRedirects honorLabels honorTimestamps interval " +
  "metricRelabelings noProxy oauth2 params path port portNumber proxyConnectHeader proxyFromEnvironment proxyUrl relabelings scheme scrapeTimeout " +
  "targetPort tlsConfig trackTimestampsStaleness"
).split(" ");
