/**
 * A hash table from groups of characters to places in secrets: 8 bytes an entry, because there are twenty for each of
 * ten thousand keys. The groups are 30-bit numbers; the places fit into 31 bits.
 */
export interface GramTable {
  /** A group that many secrets share is not secret, such as the beginning `AIzaSy`, so further places are dropped. */
  insert(gram: number, place: number): void;
  /** The index of the first entry of a group, or the next one after an index; -1 without one. */
  find(gram: number, after?: number): number;
  /** The place of an entry. */
  placeAt(index: number): number;
}

const SMALLEST = 1024;
const MOST_SHARING = 16;

export function createGramTable(): GramTable {
  /** A group plus 1; 0 is free. */
  let grams = new Int32Array(SMALLEST);
  let places = new Int32Array(SMALLEST);
  let count = 0;

  const homeOf = (gram: number) => (Math.imul(gram, 0x9e_37_79_b1) >>> 8) & (grams.length - 1);

  function find(group: number, after = -1): number {
    const gram = group + 1;
    const mask = grams.length - 1;
    let index = after < 0 ? homeOf(gram) : (after + 1) & mask;
    for (let at = grams[index]; at !== 0; at = grams[index]) {
      if (at === gram) return index;
      index = (index + 1) & mask;
    }
    return -1;
  }

  function put(gram: number, place: number): void {
    let index = homeOf(gram);
    let sharing = 0;
    while (grams[index] !== 0) {
      if (grams[index] === gram && ++sharing === MOST_SHARING) return;
      index = (index + 1) & (grams.length - 1);
    }
    grams[index] = gram;
    places[index] = place;
    count++;
  }

  function grow(): void {
    const former = { grams, places };
    [grams, places, count] = [new Int32Array(2 * grams.length), new Int32Array(2 * grams.length), 0];
    for (const [index, gram] of former.grams.entries()) {
      if (gram !== 0) put(gram, former.places[index] ?? 0);
    }
  }

  return {
    insert: (gram, place) => {
      if (2 * count >= grams.length) grow();
      put(gram + 1, place);
    },
    find,
    placeAt: (index) => places[index] ?? 0,
  };
}
