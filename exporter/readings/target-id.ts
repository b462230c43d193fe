/** What is asked for, each by itself: a key, a query of the analytics, a probe; and what is made of other readings. */
export type TargetKind = "key" | "analytics" | "probe" | "probe-spend" | "budget";

/** Names one target in the whole exporter: `key/billing`, `analytics/day`. */
export type TargetId = `${TargetKind}/${string}`;

export function targetId(kind: TargetKind, name: string): TargetId {
  return `${kind}/${name}`;
}
