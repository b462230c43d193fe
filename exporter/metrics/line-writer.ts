/**
 * Writes lines of the exposition as bytes into memory that is used again and again: twice as fast as putting strings
 * together (docs/performance.md).
 */
export interface LineWriter {
  /** Appends `prefix` + `labels` + `} value\n`. */
  line(prefix: Uint8Array, labels: string, value: number): void;
  /** A copy of what was written; what follows begins anew. */
  take(): Buffer;
}

const FIRST_SIZE = 128 * 1024;
/** The longest number is `-2.2250738585072014e-308`. */
const LONGEST_REST = 32;
/** UTF-8 takes at most three bytes for a UTF-16 unit. */
const WIDEST_UNIT = 3;

export function createLineWriter(): LineWriter {
  let bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_SIZE);
  let length = 0;

  function line(prefix: Uint8Array, labels: string, value: number): void {
    const needed = length + prefix.length + labels.length * WIDEST_UNIT + LONGEST_REST;
    if (needed > bytes.length) bytes = enlarged(bytes, needed);
    let at = length;
    for (let index = 0; index < prefix.length; index++) bytes[at++] = prefix[index] ?? 0;
    at = writeText(bytes, at, labels);
    bytes[at++] = CLOSE;
    bytes[at++] = SPACE;
    at = writeNumber(bytes, at, value);
    bytes[at++] = NEWLINE;
    length = at;
  }

  return {
    line,
    take: () => {
      // Not from Node's pool: a small text would hold on to a large piece of memory.
      const taken = Buffer.allocUnsafeSlow(length);
      bytes.copy(taken, 0, 0, length);
      length = 0;
      return taken;
    },
  };
}

const [CLOSE, SPACE, NEWLINE, MINUS, POINT, ZERO] = [0x7d, 0x20, 0x0a, 0x2d, 0x2e, 0x30];

function enlarged(bytes: Buffer, needed: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(needed, bytes.length * 2));
  bytes.copy(larger);
  return larger;
}

/** ASCII by a loop, which is faster than a call for texts this short; anything else by Node. */
function writeText(bytes: Buffer, start: number, text: string): number {
  let at = start;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) return start + bytes.write(text, start, "utf8");
    bytes[at++] = code;
  }
  return at;
}

/** Below this a number of so many decimals has at most 15 digits. */
const [SIX_DECIMALS_BELOW, THREE_DECIMALS_BELOW] = [1e9, 1e12];

/**
 * The same text as `String(value)`. Numbers of up to 15 digits are written by hand: two different decimals of 15 digits
 * are never the same double, so if `scaled / scale` is the value then the digits of `scaled` are the shortest that are.
 */
function writeNumber(bytes: Buffer, start: number, value: number): number {
  const size = Math.abs(value);
  let at = start;
  if (size < THREE_DECIMALS_BELOW) {
    const decimals = size < SIX_DECIMALS_BELOW ? 6 : 3;
    const scale = decimals === 6 ? 1e6 : 1e3;
    const whole = Math.floor(size);
    const scaled = whole === size ? 0 : Math.round(size * scale);
    if (whole === size || scaled / scale === size) {
      if (value < 0) bytes[at++] = MINUS;
      if (whole === size) return writeDigits(bytes, at, whole, digitsOf(whole));
      const integer = Math.floor(scaled / scale);
      at = writeDigits(bytes, at, integer, digitsOf(integer));
      bytes[at++] = POINT;
      at = writeDigits(bytes, at, scaled - integer * scale, decimals);
      while (bytes[at - 1] === ZERO) at--;
      return at;
    }
  }
  return at + bytes.write(String(value), at, "latin1");
}

/** How many digits a whole number below 1e12 has. */
function digitsOf(whole: number): number {
  let digits = 1;
  for (let limit = 10; whole >= limit; limit *= 10) digits++;
  return digits;
}

const BILLION = 1e9;

function writeDigits(bytes: Buffer, start: number, whole: number, digits: number): number {
  if (whole >= BILLION) {
    const upper = Math.floor(whole / BILLION);
    const at = writeDigits(bytes, start, upper, digits - 9);
    return writeDigits(bytes, at, whole - upper * BILLION, 9);
  }
  // Below 2^31, so that this is arithmetic of small integers.
  let rest = whole | 0;
  for (let at = start + digits - 1; at >= start; at--) {
    const next = (rest / 10) | 0;
    bytes[at] = ZERO + (rest - next * 10);
    rest = next;
  }
  return start + digits;
}
