import type { Format } from "./render/exposition.ts";

/**
 * prom-client's text, or the same in OpenMetrics: counters are named without their suffix, and quotes in HELP are escaped.
 * prom-client's own OpenMetrics registry renames the counters for the text format, too.
 */
export function inFormat(text: string, format: Format): string {
  if (format === "text") return text;
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.replace(/^# (HELP|TYPE) (\w+)_total /, "# $1 $2 "))
    .map((line) => (line.startsWith("# HELP ") ? line.replaceAll('"', '\\"') : line))
    .map((line) => `${line}\n`)
    .join("");
}
