import type { BooksMessage } from "./messages.ts";

/** The figures of a key in `[from, until)`. */
export interface State {
  readonly from: number;
  until: number;
  readonly figures: readonly (number | null)[];
}

/** The history of the gateway's books, for as long as the exporter may repeat a value. */
export interface BookHistory {
  take(message: BooksMessage): void;
  /** The history is complete up to this instant. */
  readonly knownUntil: number;
  /** The figures of a key within the span, oldest first; undefined: no such key. */
  states(key: string, from: number, to: number): readonly State[] | undefined;
  /** The arrival time of the last completely answered request for a key, up to `to`. */
  lastAnswer(key: string, to: number): number | undefined;
  /** The spend of the UTC day until an instant, BYOK included, micro-credits. */
  dayMicros(at: number): number;
}

export function createBookHistory(keepMs: number): BookHistory {
  const states = new Map<string, State[]>();
  const answers = new Map<string, number[]>();
  let days: { readonly at: number; readonly micros: number }[] = [];
  let knownUntil = Number.NEGATIVE_INFINITY;

  function add(key: string, from: number, figures: State["figures"], oldest: number): void {
    const known = states.get(key) ?? [];
    const last = known.at(-1);
    if (last) last.until = from;
    known.push({ from, until: Number.POSITIVE_INFINITY, figures });
    states.set(
      key,
      known.filter(({ until }) => until > oldest),
    );
  }

  return {
    take: (message) => {
      const oldest = message.at - keepMs;
      for (const { key, figures } of message.states) add(key, message.since, figures, oldest);
      for (const [key, at] of message.answers) {
        answers.set(key, [...(answers.get(key) ?? []).filter((each) => each > oldest), at]);
      }
      days.push({ at: message.since, micros: message.dayMicros });
      if (days.length > 2 && (days[1]?.at ?? 0) < oldest) days = days.filter(({ at }) => at > oldest);
      knownUntil = message.at;
    },
    get knownUntil() {
      return knownUntil;
    },
    states: (key, from, to) => states.get(key)?.filter((state) => state.until > from && state.from <= to),
    lastAnswer: (key, to) => answers.get(key)?.findLast((at) => at <= to),
    dayMicros: (at) => days.findLast((day) => day.at <= at)?.micros ?? 0,
  };
}
