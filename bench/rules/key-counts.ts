/** The numbers of keys whose rules are measured. */
export function keyCounts(): readonly number[] {
  return [100, 1000, ...(process.env["RULE_KEYS"] === "10000" ? [10_000] : [])];
}
