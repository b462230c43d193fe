import type { Sample } from "../metrics/family.ts";
import type { Window } from "../time/window.ts";

/** How samples are held. The renderer provides it, so that readings do not depend on rendering. */
export interface Packing<Packed> {
  readonly empty: Packed;
  /** Shares with the previous pack of the same target what has not changed. */
  readonly pack: (samples: readonly Sample[], previous?: Packed) => Packed;
  /** The samples without a window, and those whose window may be shown. The same part of the same pack is the same object. */
  readonly only: (packed: Packed, shows: (window: Window) => boolean) => Packed;
  readonly windows: (packed: Packed) => readonly Window[];
  /** Number of samples. */
  readonly size: (packed: Packed) => number;
}
