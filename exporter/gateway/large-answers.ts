/** From here on, in characters, an answer takes milliseconds to read. */
export const LARGE_ANSWER = 32_768;

/**
 * Large answers that come at once are read one by one: the result resolves when it is the next one's turn, after the event
 * loop has done its other work.
 */
export function createLargeAnswers(): () => Promise<void> {
  let last = Promise.resolve();
  return () => {
    last = last.then(breathe);
    return last;
  };
}

function breathe(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
