import { type Block, createPacking } from "../../exporter/metrics/render/block.ts";
import { type FamilyHeader, type Format, headerText } from "../../exporter/metrics/render/exposition.ts";
import { createLines } from "../../exporter/metrics/render/lines.ts";
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

/** Both formats, without end marks. Families without samples are left out. */
export function renderNow(headers: readonly FamilyHeader[], blocks: readonly Block[]) {
  const lines = createLines();
  const written = headers.flatMap((header) => {
    const text = lines.of(header.family, blocks).toString();
    return text === "" ? [] : [{ header, text }];
  });
  const join = (format: Format) =>
    written.map(({ header, text }) => headerText(header, format) + text).join("");
  return { text: join("text"), openmetrics: join("openmetrics") };
}
