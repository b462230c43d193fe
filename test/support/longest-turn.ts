/**
 * Runs something and returns the longest turn of the event loop meanwhile: milliseconds of this thread's processor
 * time, so that other processes on a busy machine do not count.
 */
export async function longestTurnMs(run: () => Promise<unknown>): Promise<number> {
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
