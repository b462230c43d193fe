/**
 * Runs something and returns the longest turn of the event loop meanwhile, as a multiple of what `JSON.parse` takes
 * for a body of 2 MiB, so that the speed of the machine does not count.
 */
export async function longestTurn(run: () => Promise<unknown>): Promise<number> {
  unitMs ??= await measureUnit();
  return (await longestTurnMs(run)) / unitMs;
}

/** About 10 ms of a slow machine. */
let unitMs: number | undefined;

/** The best of several tries: a garbage collection may fall into any one of them. */
async function measureUnit(): Promise<number> {
  const row = { model: "vendor/model", usage: 1.5, requests: 3, app: null };
  const text = JSON.stringify(Array.from({ length: BODY_BYTES / JSON.stringify(row).length }, () => row));
  const turns: number[] = [];
  for (let tries = 0; tries < 10; tries++) {
    turns.push(
      await longestTurnMs(async () => {
        JSON.parse(text);
      }),
    );
  }
  return Math.min(...turns);
}

const BODY_BYTES = 2 * 1024 * 1024;

/** In milliseconds of this thread's processor time, so that other processes on a busy machine do not count. */
async function longestTurnMs(run: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isRunning = true;
  let before = threadMs();
  const turn = (): void => {
    const now = threadMs();
    longest = Math.max(longest, now - before);
    before = now;
    if (isRunning) setImmediate(turn);
  };
  setImmediate(turn);
  await run().finally(() => {
    isRunning = false;
  });
  // The end of the run belongs to a turn that has not been measured yet.
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  turn();
  return longest;
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
