/** Names one target in the whole exporter by its kind and its name: `key/billing`, `analytics/day`, `probe/hello`. */
export type TargetId = `${string}/${string}`;

/** The kind is the collector's name; probes and what is derived from other readings have kinds of their own. */
export function targetId(kind: string, name: string): TargetId {
  return `${kind}/${name}`;
}

/** The balance of the account. */
export const CREDITS = targetId("account", "credits");
