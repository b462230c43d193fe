import { type Clock, LONGEST_TIMER_MS } from "../../time/clock.ts";
import type { Block } from "./block.ts";
import { createRenderer, type Document } from "./renderer.ts";
import type { FamilyHeader, Format } from "./exposition.ts";
import { type Deflate, deflate as deflateInThread } from "./gzip.ts";

/** Renders the readings when they change, so that scrapes do not render. */
export interface Publisher {
  /** Call it after a change; many calls cause one rendering. */
  readonly changed: () => void;
  /**
   * The newest text. Waits for a new rendering only if a value in it has expired. A call that wants zstd makes
   * the renderings of the next ten minutes compress with it.
   */
  current(format: Format, wantsZstd?: boolean): Promise<Document>;
  stop(): void;
}

/** All values that may be shown at an instant. */
export interface BlockView {
  /** In the order of the targets. Unchanged blocks are the same objects as in an earlier view. */
  readonly blocks: readonly Block[];
  /** Whether a sample has expired, or the clock was set back to before the view was taken. */
  outdated(): boolean;
  /** Milliseconds until the first sample expires; Infinity if none does. */
  readonly validForMs: number;
}

/** The least time between the starts of two renderings: short after a pause, then doubling. */
const SHORTEST_DISTANCE_MS = 50;
const LONGEST_DISTANCE_MS = 1000;

/** A rendering may take this share of the time, so that a million series do not occupy a core. */
const SHARE = 0.03;
const LONGEST_REST_MS = 15_000;

/**
 * A text may be outdated when its rendering ends, because a window has just ended. That cannot happen many times in a
 * row.
 */
const MOST_ATTEMPTS = 5;

const ZSTD_LASTS_MS = 600_000;

export function createPublisher(
  viewNow: () => BlockView,
  headers: () => readonly FamilyHeader[],
  clock: Clock,
  onError: (error: unknown) => void,
  deflate: Deflate = deflateInThread,
): Publisher {
  const renderer = createRenderer(deflate);
  /** The formats that scrapes have requested. */
  const formats = new Set<Format>();
  const zstdWantedAt = new Map<Format, number>();
  let published: Published | undefined;
  let running: Promise<void> | undefined;
  /** Whether there is a change that is not rendered yet. */
  let isChanged = false;
  let stopped = false;
  let lastStart = Number.NEGATIVE_INFINITY;
  let distanceMs = SHORTEST_DISTANCE_MS;
  let restMs = 0;
  let cancelNext: (() => void) | undefined;
  let cancelRecheck: (() => void) | undefined;

  function changed(): void {
    if (isChanged) return;
    isChanged = true;
    if (!running) schedule();
  }

  function schedule(): void {
    if (stopped) return;
    const waitMs = Math.max(0, lastStart + Math.max(distanceMs, restMs) - clock.monotonic());
    cancelNext = clock.after(waitMs, () => {
      const start = clock.monotonic();
      const wasPause = start - lastStart > 2 * LONGEST_DISTANCE_MS;
      distanceMs = wasPause ? SHORTEST_DISTANCE_MS : Math.min(2 * distanceMs, LONGEST_DISTANCE_MS);
      lastStart = start;
      publish().catch(onError);
    });
  }

  /** Joins a rendering that is in progress. */
  function publish(): Promise<void> {
    running ??= render().finally(() => {
      running = undefined;
      if (isChanged) schedule();
    });
    return running;
  }

  async function render(): Promise<void> {
    cancelNext?.();
    isChanged = false;
    const start = clock.monotonic();
    const view = viewNow();
    const documents = await renderer.render(headers(), view.blocks, formats);
    for (const [format, at] of zstdWantedAt)
      if (clock.monotonic() - at < ZSTD_LASTS_MS) await documents.get(format)?.zstd();
    published = { view, documents };
    restMs = Math.min(LONGEST_REST_MS, (clock.monotonic() - start) / SHARE);
    recheckAfter(view);
  }

  function recheckAfter(view: BlockView): void {
    cancelRecheck?.();
    // The publisher may have been stopped during a rendering.
    if (stopped) return;
    cancelRecheck = clock.after(Math.min(LONGEST_TIMER_MS, view.validForMs), () => {
      if (view.outdated()) changed();
      else recheckAfter(view);
    });
  }

  async function current(format: Format, wantsZstd = false): Promise<Document> {
    formats.add(format);
    if (wantsZstd) zstdWantedAt.set(format, clock.monotonic());
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const ready = published?.documents.get(format);
      if (ready && !published?.view.outdated()) return ready;
      await publish();
    }
    throw new Error("Cannot show the metrics: they expire faster than they are rendered");
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
  readonly view: BlockView;
  readonly documents: ReadonlyMap<Format, Document>;
}
