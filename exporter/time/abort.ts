/** Calls back once when the signal is aborted; the result calls that off. */
export function onAbort(signal: AbortSignal, run: () => void): () => void {
  signal.addEventListener("abort", run, { once: true });
  return () => signal.removeEventListener("abort", run);
}
