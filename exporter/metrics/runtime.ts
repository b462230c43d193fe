import { collectDefaultMetrics, Registry } from "prom-client";
import type { Clock } from "../time/clock.ts";
import type { Format } from "./render/exposition.ts";
import { deflateNow, type Piece } from "./render/gzip.ts";
import { inFormat } from "./prom-client-text.ts";

export interface RuntimePart {
  readonly text: Buffer;
  readonly piece: Piece;
}

const LASTS_MS = 1000;

/** What Node says of the process, rendered by prom-client once a second at most, and compressed with it. */
export function createRuntimePart(clock: Pick<Clock, "monotonic">): (format: Format) => Promise<RuntimePart> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const { name } of registry.getMetricsAsArray()) {
    if (UNFIT.test(name)) registry.removeSingleMetric(name);
  }
  const made = new Map<Format, { readonly atMs: number; readonly part: Promise<RuntimePart> }>();

  async function render(format: Format): Promise<RuntimePart> {
    const text = Buffer.from(inFormat(await registry.metrics(), format));
    return { text, piece: deflateNow(text) };
  }

  return (format: Format): Promise<RuntimePart> => {
    const last = made.get(format);
    if (last && clock.monotonic() - last.atMs < LASTS_MS) return last.part;
    const part = render(format);
    made.set(format, { atMs: clock.monotonic(), part });
    return part;
  };
}

/** Gauges whose names end in _total, which no format allows, and figures that are no numbers before the first sample. */
const UNFIT = /^nodejs_(active_|eventloop_lag_(min|mean|stddev)_)/;
