import { contains, type Window } from "../../time/window.ts";
import { type Block, createPacker, EMPTY, unpack } from "./block.ts";

/**
 * What of a block may be shown at an instant: nothing of a window that has ended or has not begun. The same part of the
 * same block is the same block again, so that nothing is rendered anew as long as nothing ends.
 */
export function createWindowing(): (block: Block, nowMs: number) => Block {
  const packer = createPacker();
  const parts = new WeakMap<Block, Part>();

  return (block, nowMs) => {
    const isShown = (window: Window | undefined) => !window || contains(window, nowMs);
    if (block.windows.every(isShown)) return block;
    const shown = block.windows.map(isShown);
    const name = shown.join();
    const known = parts.get(block);
    if (known?.name === name) return known.block;
    const samples = unpack(block).filter((_, row) => shown[block.shape.windowAt[row] ?? 0]);
    const part = { name, block: samples.length === 0 ? EMPTY : packer.pack(samples) };
    parts.set(block, part);
    return part.block;
  };
}

interface Part {
  /** Which of the windows are shown. */
  readonly name: string;
  readonly block: Block;
}
