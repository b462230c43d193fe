/** What the stories of a run contained, as a table: the kinds of faults by endpoint, then everything else. */
export function coverageTable(
  seeds: string,
  counts: ReadonlyMap<string, number>,
  violations: number,
): string {
  const isFault = (name: string) => ENDPOINTS.some((endpoint) => name.includes(`, ${endpoint}, `));
  const kinds = new Set([...counts.keys()].filter(isFault).map((name) => name.split(", ")[0] ?? ""));
  const count = (kind: string, endpoint: string) =>
    ["all", "some"].reduce((sum, whom) => sum + (counts.get(`${kind}, ${endpoint}, ${whom}`) ?? 0), 0);
  const faults = [...kinds].toSorted().map((kind) => {
    const cells = ENDPOINTS.map((endpoint) => digits(count(kind, endpoint)));
    return `| ${kind} | ${cells.join(" | ")} |`;
  });
  const others = [...counts]
    .filter(([name]) => !isFault(name))
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return [
    `Seeds ${seeds}: ${violations === 0 ? "no violation" : `${violations} violations`}.`,
    "",
    "| In these stories | Number |",
    "|---|--:|",
    ...others.map(([name, number]) => `| ${name} | ${digits(number)} |`),
    "",
    `| Answers with a fault | ${ENDPOINTS.join(" | ")} |`,
    "|---|--:|--:|--:|--:|",
    ...faults,
  ].join("\n");
}

const ENDPOINTS = ["key", "analytics", "account", "transcription"];

function digits(number: number): string {
  return number === 0 ? "" : number.toLocaleString("en-US");
}
