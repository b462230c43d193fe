import type { Clock } from "../../time/clock.ts";
import type { Document } from "./document.ts";
import type { FamilyHeader, Format } from "./exposition.ts";
import { deflate } from "./gzip.ts";
import { createRenderer } from "./renderer.ts";
import type { Store, View } from "../../readings/store.ts";

/** Turns the store into texts when it changes, so that a scrape does not. */
export interface Publisher {
  /** To be called after the store has changed; many calls make one rendering. */
  readonly changed: () => void;
  /** The newest text. Only when something in it must no longer be shown is a new one waited for. */
  current(format: Format): Promise<Document>;
  stop(): void;
}

/** The least distance between two renderings: short after a pause, then twice as long each time. */
const SHORTEST_DISTANCE_MS = 50;
const LONGEST_DISTANCE_MS = 1000;

/** How often at least it is looked whether something has aged: a stepped clock fires no timer. */
const RECHECK_MS = 30_000;

/** A text may be outdated when it is done, since a window has ended meanwhile; that does not happen again and again. */
const MOST_ATTEMPTS = 5;

/** Who asks for a text that lacks a change of so long ago waits for the next, but not for ever on a machine without time. */
const MOST_BEHIND_MS = 10_000;
const ATTEMPTS_TO_CATCH_UP = 2;

export function createPublisher(
  store: Store,
  headers: () => readonly FamilyHeader[],
  clock: Clock,
  onError: (error: unknown) => void,
): Publisher {
  const renderer = createRenderer(deflate);
  /** What was asked for is made from then on. */
  const formats = new Set<Format>();
  let published: Published | undefined;
  let running: Promise<void> | undefined;
  /** When the first change came that is not published, and that no rendering has begun with; monotonic. */
  let unpublishedSince: number | undefined;
  let unrenderedSince: number | undefined;
  let stopped = false;
  let lastStart = Number.NEGATIVE_INFINITY;
  let distanceMs = SHORTEST_DISTANCE_MS;
  let cancelNext: (() => void) | undefined;
  let cancelRecheck: (() => void) | undefined;

  function changed(): void {
    if (unrenderedSince !== undefined) return;
    unrenderedSince = clock.monotonic();
    unpublishedSince ??= unrenderedSince;
    if (!running) schedule();
  }

  function schedule(): void {
    if (stopped) return;
    const waitMs = Math.max(0, lastStart + distanceMs - clock.monotonic());
    cancelNext = clock.after(waitMs, () => {
      const start = clock.monotonic();
      const wasPause = start - lastStart > 2 * LONGEST_DISTANCE_MS;
      distanceMs = wasPause ? SHORTEST_DISTANCE_MS : Math.min(2 * distanceMs, LONGEST_DISTANCE_MS);
      lastStart = start;
      publish().catch(onError);
    });
  }

  /** What is under way already is joined. */
  function publish(): Promise<void> {
    running ??= render().finally(() => {
      running = undefined;
      if (unrenderedSince !== undefined) schedule();
    });
    return running;
  }

  async function render(): Promise<void> {
    cancelNext?.();
    unrenderedSince = undefined;
    const view = store.view();
    published = { view, documents: await renderer.render(headers(), view.blocks, formats) };
    unpublishedSince = unrenderedSince;
    recheckAfter(view);
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

  function isBehind(): boolean {
    return unpublishedSince !== undefined && clock.monotonic() - unpublishedSince > MOST_BEHIND_MS;
  }

  async function current(format: Format): Promise<Document> {
    formats.add(format);
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const ready = published?.documents.get(format);
      const isLate = attempt < ATTEMPTS_TO_CATCH_UP && isBehind();
      if (ready && !isLate && !published?.view.outdated()) return ready;
      await publish();
    }
    throw new Error("Cannot show the metrics: they age faster than they are rendered");
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
  readonly documents: ReadonlyMap<Format, Document>;
}
