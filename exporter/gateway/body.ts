/** The bytes of a body while it arrives. */
export interface Body {
  readonly length: number;
  add(chunk: Buffer): void;
  bytes(): Buffer;
}

/**
 * One buffer that grows up to `mostBytes`; the caller adds no more than that. Chunks are copied because one
 * of a single byte otherwise keeps two hundred: its object, and what it was cut from.
 */
export function createBody(mostBytes: number): Body {
  let buffer: Buffer | undefined;
  let length = 0;
  return {
    get length() {
      return length;
    },
    add: (chunk) => {
      const needed = length + chunk.length;
      if (!buffer) {
        // Most bodies are one chunk, which needs no copy.
        buffer = chunk;
      } else {
        if (needed > buffer.length)
          buffer = grown(buffer, length, Math.min(mostBytes, Math.max(SMALLEST, 2 * needed)));
        chunk.copy(buffer, length);
      }
      length = needed;
    },
    bytes: () => buffer?.subarray(0, length) ?? Buffer.alloc(0),
  };
}

const SMALLEST = 4096;

function grown(buffer: Buffer, length: number, capacity: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(capacity);
  buffer.copy(larger, 0, 0, length);
  return larger;
}
