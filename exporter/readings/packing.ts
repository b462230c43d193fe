import type { Sample } from "../metrics/family.ts";
import type { Window } from "../time/window.ts";

/** How samples are held: whoever renders them decides that, so readings know nothing of rendering. */
export interface Packing<Packed> {
  readonly empty: Packed;
  /** Shares with the previous pack of the same target what has not changed. */
  pack(samples: readonly Sample[], previous?: Packed): Packed;
  /** The samples without a window, and those whose window may be shown. The same part of the same pack is the same object. */
  only(packed: Packed, shows: (window: Window) => boolean): Packed;
  windows(packed: Packed): readonly Window[];
  /** Number of samples. */
  size(packed: Packed): number;
}
