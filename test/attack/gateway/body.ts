import { type Answer, answerJson, type Exchange } from "./exchange.ts";
import { LARGE } from "./transport-answers.ts";

/** Answers with a body of a size. The latest ones are kept unless they depend on the exchange, because making them is slow. */
export function body(make: (size: number, exchange: Exchange) => string | Uint8Array, status = 200): Answer {
  return async (exchange) => {
    const size = exchange.random() < 0.3 ? LARGE : largestAccepted(exchange, status);
    const id = `${make.toString()} ${size}`;
    const bytes = kept.get(id) ?? Buffer.from(make(size, exchange));
    kept.delete(id);
    if (make.length === 1) kept.set(id, bytes);
    for (const oldest of kept.keys()) if (kept.size > 8) kept.delete(oldest);
    await answerJson(exchange.socket, bytes, status);
  };
}

/** A piece repeated up to a length. */
export function many(piece: string, separator: string, length: number): string {
  const step = piece + separator;
  return `${step.repeat(Math.floor((length - 200) / step.length))}${piece}`;
}

/** Pieces up to the largest body. */
export function fill(size: number, piece: (index: number) => string): string {
  const pieces: string[] = [];
  for (let [index, length] = [0, 0]; length < size - 400; index++) {
    const text = piece(index);
    length += text.length;
    pieces.push(text);
  }
  return pieces.join("");
}

/** A JSON text of characters that break labels, logs and pages. */
export function strange(random: () => number): string {
  const texts = [
    "\n",
    "\r",
    '"',
    "\\",
    "\u0000",
    "\u001b[2J",
    "\u202e",
    "\ud800",
    "\u2028",
    "<script>",
    "{{",
    "_other",
    "\ufeff",
    "'",
    "\u0085",
  ];
  const text = Array.from({ length: 8 }, () => texts[Math.floor(random() * texts.length)]).join("x");
  return JSON.stringify(text);
}

const kept = new Map<string, Buffer>();

/** Just below the limits of the exporter (docs/configuration.md, `max_body`), so that the body is parsed. */
function largestAccepted({ lane, operation }: Exchange, status: number): number {
  if (lane === "keys" || status >= 400) return 64 * 1024 - 512;
  return (operation === "query" ? 2 : 1) * 1024 * 1024 - 4096;
}
