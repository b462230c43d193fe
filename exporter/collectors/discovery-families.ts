import { ACCOUNT_PROVENANCE as FROM } from "../gateway/wire/account-keys.ts";
import { gauge, info } from "../metrics/family.ts";

const LAST = "before the first complete list; 3 intervals after the last one";

function ofWorkspace(name: string, help: string, absent = LAST) {
  return gauge({ name: `aigateway_discovery_${name}`, help, labels: ["workspace"], absent });
}

/** The keys of the account that are listed without their secrets. `workspace` is `default`, `all` or a UUID. */
export const discoveryFamilies = {
  up: ofWorkspace(
    "up",
    `Whether the keys of the workspace were last listed to the end (1), or the list failed, was cut, or is more than 3 intervals old (0) (${FROM.keys}).`,
    "before the first list",
  ),
  lastSuccess: ofWorkspace(
    "last_success_timestamp_seconds",
    "When the keys of the workspace were last listed to the end, seconds since the epoch. Outlives the values.",
    "before the first complete list",
  ),
  keys: ofWorkspace("keys", "Keys of the workspace that are shown."),
  excluded: ofWorkspace(
    "excluded_keys",
    "Keys of the workspace that are not shown because of their names (discovery.include and discovery.exclude).",
  ),
  unreadable: ofWorkspace(
    "unreadable_rows",
    "Keys of the workspace that could not be read. They keep their last values.",
  ),
  disabled: gauge({
    name: "aigateway_key_disabled",
    help: `Whether the key is disabled (${FROM.disabled}).`,
    labels: ["key"],
    absent: "the key is not listed; the service does not send it; 3 intervals after the last list",
  }),
  lastUsed: gauge({
    name: "aigateway_key_last_used_timestamp_seconds",
    help: `When the key was last used, seconds since the epoch (${FROM.lastUsedAtMs}).`,
    labels: ["key"],
    absent:
      "the key is not listed; the service does not send it, or has not seen a use; 3 intervals after the last list",
  }),
  finding: info({
    name: "aigateway_key_finding_info",
    help: `Always 1. What makes a listed key dangerous if it leaks: no_limit (it has no limit of its own, ${FROM.limit}), no_expiry (it never expires, ${FROM.neverExpires}), unused (for 90 days, ${FROM.lastUsedAtMs}).`,
    labels: ["key", "finding"],
    absent:
      "the finding does not apply; the key is disabled or not listed; the service does not send the field; 3 intervals after the last list",
  }),
  info: info({
    name: "aigateway_key_discovery_info",
    help: `Always 1 for every listed key. api_key is its name at the gateway (${FROM.name}), hash the first eight digits of the SHA-256 of its secret, workspace its name with discovery.workspaces all, else default or a UUID, and source poll if its secret is configured, else listing.`,
    labels: ["key", "api_key", "hash", "workspace", "source"],
    absent: "the key is not listed",
  }),
};
