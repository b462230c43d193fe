import type { Sample } from "../metrics/family.ts";
import type { Window } from "../time/window.ts";

/** How samples are stored. The renderer provides this, so that readings do not depend on rendering. */
export interface Packing<Packed> {
  readonly empty: Packed;
  /** Shares unchanged parts with the previous pack of the same target. */
  readonly pack: (samples: readonly Sample[], previous?: Packed) => Packed;
  /**
   * The samples without a window, and those whose window may be shown. The same part of a pack is always the same
   * object.
   */
  readonly only: (packed: Packed, shows: (window: Window) => boolean) => Packed;
  readonly windows: (packed: Packed) => readonly Window[];
  /** Number of samples. */
  readonly size: (packed: Packed) => number;
}
