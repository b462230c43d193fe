/**
 * Calls back once when the signal is aborted; the result calls that off. Thousands of polls wait on one signal, whose
 * own list of listeners is searched from its beginning at each change.
 */
export function onAbort(signal: AbortSignal, run: () => void): () => void {
  const waiting = waiters.get(signal) ?? listen(signal);
  // The same function may wait twice.
  const waiter = { run };
  waiting.add(waiter);
  return () => void waiting.delete(waiter);
}

interface Waiter {
  readonly run: () => void;
}

const waiters = new WeakMap<AbortSignal, Set<Waiter>>();

function listen(signal: AbortSignal): Set<Waiter> {
  const waiting = new Set<Waiter>();
  waiters.set(signal, waiting);
  signal.addEventListener(
    "abort",
    () => {
      for (const { run } of waiting) run();
      waiting.clear();
    },
    { once: true },
  );
  return waiting;
}
