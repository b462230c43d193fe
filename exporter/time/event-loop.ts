/** Lets other work run. Callers take turns: one continues in each iteration of the event loop. */
export function yieldToEventLoop(): Promise<void> {
  latest = latest.then(() => new Promise((resolve) => void setImmediate(resolve)));
  return latest;
}

let latest = Promise.resolve();

/** Maps many items in parts, between which other work runs. */
export async function inParts<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Result,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const [index, item] of items.entries()) {
    if (index % PART === PART - 1) await yieldToEventLoop();
    results.push(map(item));
  }
  return results;
}

/** Handling this many items takes about as long as rendering one slice. */
const PART = 50;
