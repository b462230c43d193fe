import type { Clock } from "../clock.ts";
import { type Exposition, type FamilyHeader, type Format, render, renderNow } from "./exposition.ts";
import { type Deflated, deflate, deflateNow } from "./gzip.ts";
import type { Store, View } from "./store.ts";

/** What a scrape copies: the whole text in each format, ready and compressed. */
export type Snapshot = Readonly<Record<Format, Deflated>>;

/** Turns the store into texts when it changes, so that a scrape does not. */
export interface Publisher {
  /** To be called after the store has changed; many calls in a second make one rendering. */
  readonly changed: () => void;
  /** The newest texts; rendered on the spot only when something in them must no longer be shown. */
  current(): Snapshot;
  stop(): void;
}

/** The least distance between two renderings. */
const COALESCE_MS = 1000;

/** How often at least it is looked whether something has aged: a stepped clock fires no timer. */
const RECHECK_MS = 30_000;

export function createPublisher(
  store: Store,
  headers: () => readonly FamilyHeader[],
  clock: Clock,
  onError: (error: unknown) => void,
): Publisher {
  let published: Published | undefined;
  let sequence = 0;
  let dirty = false;
  let busy = false;
  let stopped = false;
  let lastStart = Number.NEGATIVE_INFINITY;
  let cancelNext: (() => void) | undefined;
  let cancelRecheck: (() => void) | undefined;

  function changed(): void {
    if (dirty) return;
    dirty = true;
    if (!busy) schedule();
  }

  function schedule(): void {
    if (stopped) return;
    const waitMs = Math.max(0, lastStart + COALESCE_MS - clock.monotonic());
    cancelNext = clock.after(waitMs, () => void publish().catch(onError));
  }

  async function publish(): Promise<void> {
    busy = true;
    dirty = false;
    lastStart = clock.monotonic();
    const mine = ++sequence;
    try {
      const view = store.view();
      const snapshot = await compressed(await render(headers(), view.samples, breathe));
      // A scrape may have had to render a newer one meanwhile.
      if (!published || published.sequence < mine) published = { view, snapshot, sequence: mine };
      recheckAfter(published.view);
    } finally {
      busy = false;
      if (dirty) schedule();
    }
  }

  function recheckAfter(view: View): void {
    cancelRecheck?.();
    // A rendering may have been under way when it was stopped.
    if (stopped) return;
    cancelRecheck = clock.after(Math.min(RECHECK_MS, view.validForMs), () => {
      if (view.outdated()) changed();
      else recheckAfter(view);
    });
  }

  function current(): Snapshot {
    if (!published || published.view.outdated()) published = renderedNow(store, headers(), ++sequence);
    return published.snapshot;
  }

  return {
    changed,
    current,
    stop: () => {
      stopped = true;
      cancelNext?.();
      cancelRecheck?.();
    },
  };
}

interface Published {
  readonly view: View;
  readonly snapshot: Snapshot;
  readonly sequence: number;
}

function renderedNow(store: Store, headers: readonly FamilyHeader[], sequence: number): Published {
  const view = store.view();
  const { text, openmetrics } = renderNow(headers, view.samples);
  return { view, snapshot: { text: deflateNow(text), openmetrics: deflateNow(openmetrics) }, sequence };
}

async function compressed(exposition: Exposition): Promise<Snapshot> {
  const [text, openmetrics] = await Promise.all([deflate(exposition.text), deflate(exposition.openmetrics)]);
  return { text, openmetrics };
}

function breathe(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
