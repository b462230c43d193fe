import { createPacking } from "../../exporter/metrics/render/block.ts";
import { renderNow } from "../../exporter/metrics/render/exposition.ts";
import type { Family, Sample } from "../../exporter/metrics/family.ts";
import { parseOpenMetrics, parseTextFormat } from "./openmetrics.ts";

/** The lines of the samples alone, in the order of the families. Both formats have passed the strict parser. */
export function sampleLines(families: readonly Family[], samples: readonly Sample[]): readonly string[] {
  return expositionOf(families, samples)
    .text.split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
}

/** The whole exposition. @throws ExpositionError when the strict parser refuses one of the formats. */
export function expositionOf(families: readonly Family[], samples: readonly Sample[]) {
  const headers = families.map((family) => ({ family, help: family.help }));
  const exposition = renderNow(headers, [createPacking().pack(samples)]);
  parseTextFormat(exposition.text);
  const openmetrics = `${exposition.openmetrics}# EOF\n`;
  parseOpenMetrics(openmetrics);
  return { text: exposition.text, openmetrics };
}
