/** Bytes of a size such as `512KiB` or `16MiB`, or undefined when the text is none. A plain number is bytes. */
export function parseByteSize(size: string | number): number | undefined {
  const groups = SIZE.exec(String(size))?.groups;
  if (!groups) return undefined;
  return Number(groups["amount"]) * (FACTORS.get(groups["unit"] ?? "") ?? 1);
}

const SIZE = /^(?<amount>\d{1,10})(?<unit>KiB|MiB|GiB)?$/;

const FACTORS: ReadonlyMap<string, number> = new Map([
  ["KiB", 1024],
  ["MiB", 1024 ** 2],
  ["GiB", 1024 ** 3],
]);
