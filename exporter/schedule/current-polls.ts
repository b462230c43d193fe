/** The polls that wait or run, one for each target at most. */
export interface CurrentPolls {
  /**
   * Begins a poll, unless one of the target is under way: then it is that one. One of the target as it was configured
   * before is aborted first.
   */
  begin(
    target: { readonly id: string; readonly fingerprint: string },
    run: (signal: AbortSignal) => Promise<void>,
  ): Promise<void>;
  abort(id: string): void;
  /** Aborts all and begins nothing new. */
  stop(): void;
}

export function createCurrentPolls(): CurrentPolls {
  const current = new Map<string, CurrentPoll>();
  let stopped = false;
  return {
    begin: ({ id, fingerprint }, run) => {
      const before = current.get(id);
      if (before?.fingerprint === fingerprint && !before.signal.aborted) return before.ended;
      before?.abort();
      const aborter = new AbortController();
      const { signal } = aborter;
      const start = async () => {
        if (!stopped && !signal.aborted) await run(signal);
      };
      const ended = (before ? before.ended.then(start) : start()).finally(() => {
        if (current.get(id)?.signal === signal) current.delete(id);
      });
      current.set(id, { fingerprint, ended, signal, abort: () => aborter.abort(new AbortedError()) });
      return ended;
    },
    abort: (id) => current.get(id)?.abort(),
    stop: () => {
      stopped = true;
      for (const { abort } of current.values()) abort();
    },
  };
}

interface CurrentPoll {
  readonly fingerprint: string;
  readonly ended: Promise<void>;
  readonly signal: AbortSignal;
  readonly abort: () => void;
}

/** Why a poll ends that nobody waits for any more. */
class AbortedError extends Error {
  override readonly name = "AbortedError";

  constructor() {
    super("The exporter stops, or polls by another configuration");
  }
}
