/** A number in [0, 1) that depends only on its integer arguments, so that a world can be reproduced. */
export function chance(seed: number, first: number, second: number): number {
  return scramble(scramble(scramble(seed + 0x9e3779b9) + first) + second) / 2 ** 32;
}

/** Picks an item by a number in [0, 1). */
export function pick<Item>(items: readonly Item[], chosen: number): Item {
  const item = items[Math.floor(chosen * items.length)];
  if (item === undefined) throw new Error(`Cannot pick from ${items.length} items with chance ${chosen}`);
  return item;
}

/** The finalizer of MurmurHash3: every bit of the input changes half of the output. */
function scramble(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
