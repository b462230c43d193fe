import type { Family } from "../family.ts";

/** The supported formats: Prometheus text 0.0.4 and OpenMetrics 1.0. */
export const FORMATS = ["text", "openmetrics"] as const;
export type Format = (typeof FORMATS)[number];

export const CONTENT_TYPES: Readonly<Record<Format, string>> = {
  text: "text/plain; version=0.0.4; charset=utf-8",
  openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

/** A family with the HELP text to print. */
export interface FamilyHeader {
  readonly family: Family;
  readonly help: string;
}

/** The lines before the samples of a family. The formats differ only in these lines. */
export function headerText(header: FamilyHeader, format: Format): string {
  return format === "text" ? textHeader(header) : openMetricsHeader(header);
}

/** Text 0.0.4 has neither infos nor state sets: both are gauges there. */
function textHeader({ family, help }: FamilyHeader): string {
  const type = family.type === "counter" ? "counter" : "gauge";
  return `# HELP ${family.name} ${escapeHelp(help)}\n# TYPE ${family.name} ${type}\n`;
}

/** OpenMetrics names an info or a counter without its suffix and also escapes quotes in HELP. */
function openMetricsHeader({ family, help }: FamilyHeader): string {
  const name = family.name.replace(family.type === "info" ? /_info$/ : /_total$/, "");
  return `# TYPE ${name} ${family.type}\n# HELP ${name} ${escapeHelp(help).replaceAll('"', '\\"')}\n`;
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}
