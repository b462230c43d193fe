/**
 * The kinds of targets: those with their own requests (key, analytics query, probe), and those derived from other
 * readings.
 */
export type TargetKind = "key" | "analytics" | "probe" | "probe-spend" | "budget";

/** Names one target in the whole exporter: `key/billing`, `analytics/day`. */
export type TargetId = `${TargetKind}/${string}`;

export function targetId(kind: TargetKind, name: string): TargetId {
  return `${kind}/${name}`;
}
