/** A time as the messages of a backfill show it, UTC. */
export function isoOf(ms: number): string {
  return new Date(ms).toISOString().replace(".000Z", "Z");
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
