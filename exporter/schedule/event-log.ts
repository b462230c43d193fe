import type { Log, LogLevel } from "../log.ts";
import type { Clock } from "../time/clock.ts";
import { MINUTE_MS } from "../time/window.ts";

/** Something that happened to a target and that many targets may share: a failure, or its end. */
export interface TargetEvent {
  readonly level: Exclude<LogLevel, "debug">;
  /** Events of the same cause are summarized: `key failed network`. There are few causes. */
  readonly cause: string;
  /** `key "billing"` and `billing`. */
  readonly title: string;
  readonly name: string;
  readonly fields: object;
  readonly message: string;
}

/**
 * Logs the first event of a cause at once and those that follow as summaries: after seconds, then once a minute while
 * many follow. An outage of ten thousand keys is a few lines. The field `count` of a line is the number of events that
 * it stands for, 1 if it is absent, so the sum over all lines is the number of all events.
 */
export interface EventLog {
  report(event: TargetEvent): void;
  /** Writes what has not been written. Timers keep the process alive, so call it at the end. */
  flush(): void;
}

const SHORT_MS = 5000;
/** Messages of one cause with lines of their own in one summary. */
const MOST_MESSAGES = 3;

interface Cause {
  /** The events without a line, by the shape of their message. */
  readonly pending: Map<string, Bundle>;
  cancel: () => void;
}

/** Events that become one line. */
interface Bundle {
  readonly first: TargetEvent;
  count: number;
  readonly titles: Set<string>;
  /** The messages of the others differ from the first one. */
  readonly isMixed: boolean;
}

export function createEventLog(log: Log, clock: Pick<Clock, "after">): EventLog {
  const causes = new Map<string, Cause>();

  function writeLine({ first, count, titles, isMixed }: Bundle): void {
    const { level, fields, message, title } = first;
    if (count === 1) return log[level](fields, message);
    const others = [...titles].filter((other) => other !== title).slice(0, 2);
    const examples = others.length === 0 ? "" : `: ${others.join(", ")}${count > 3 ? ", …" : ""}`;
    const more = `${count - 1} more${isMixed ? " with other messages" : ""}${examples}`;
    log[level]({ ...fields, count }, `${message}; and ${more}`);
  }

  function write({ pending }: Cause): void {
    for (const bundle of pending.values()) writeLine(bundle);
    pending.clear();
  }

  function wait(key: string, cause: Cause, ms: number): void {
    cause.cancel = clock.after(ms, () => {
      if (cause.pending.size === 0) return void causes.delete(key);
      write(cause);
      wait(key, cause, MINUTE_MS);
    });
  }

  function begin(event: TargetEvent): void {
    // An end must not be logged before the beginning of the same outage.
    for (const other of causes.values()) write(other);
    writeLine(bundleOf(event, false));
    const cause: Cause = { pending: new Map(), cancel: () => {} };
    causes.set(event.cause, cause);
    wait(event.cause, cause, SHORT_MS);
  }

  return {
    report: (event) => {
      const cause = causes.get(event.cause);
      if (!cause) return begin(event);
      log.debug(event.fields, event.message);
      add(cause, event);
    },
    flush: () => {
      for (const [key, cause] of causes) {
        cause.cancel();
        causes.delete(key);
        write(cause);
      }
    },
  };
}

function bundleOf(first: TargetEvent, isMixed: boolean): Bundle {
  return { first, count: 1, titles: new Set([first.title]), isMixed };
}

function add({ pending }: Cause, event: TargetEvent): void {
  const shape = shapeOf(event);
  const key = pending.has(shape) || pending.size < MOST_MESSAGES ? shape : OTHERS;
  const bundle = pending.get(key);
  if (!bundle) return void pending.set(key, bundleOf(event, key === OTHERS));
  bundle.count++;
  if (bundle.titles.size < 3) bundle.titles.add(event.title);
}

const OTHERS = "";

/** Messages that differ in names, numbers and identifiers only have the same shape. */
function shapeOf({ message, name }: TargetEvent): string {
  return message.replaceAll(`"${name}"`, '""').replaceAll(/[\da-f-]{8,}|\d+/gi, "0");
}
