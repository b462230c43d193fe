/** Runs one at a time. Whoever asks while one runs gets the next, with all others who ask until that begins. */
export function oneAtATime<Result>(run: () => Promise<Result>): () => Promise<Result> {
  let current: Promise<unknown> = Promise.resolve();
  let next: Promise<Result> | undefined;
  return () => {
    next ??= current.then(() => {
      next = undefined;
      const mine = run();
      current = mine.catch(() => {});
      return mine;
    });
    return next;
  };
}
