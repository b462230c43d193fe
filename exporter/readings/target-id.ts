/** What is asked for on its own (a key, a query of the analytics, a probe), and what is derived from other readings. */
export type TargetKind = "key" | "analytics" | "probe" | "probe-spend" | "budget";

/** Names one target in the whole exporter: `key/billing`, `analytics/day`. */
export type TargetId = `${TargetKind}/${string}`;

export function targetId(kind: TargetKind, name: string): TargetId {
  return `${kind}/${name}`;
}
