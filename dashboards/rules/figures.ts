import type { Timing } from "./timing.ts";

/** Where an amount or an instant comes from: PromQL for one value, given the selector of the alert's labels. */
type Figure = (selector: string) => string;

interface Figures {
  readonly left: Figure;
  readonly limit?: Figure;
  /** Seconds since the epoch. */
  readonly exhaustion: Figure;
  readonly reset?: Figure;
}

/**
 * The summary of an alert: what is left of the limit, when it ends and when it resets, each only if it is known.
 * One query brings them all. Without an answer, as in Grafana, which has no `query`, the words say what fires.
 */
export function figures(
  labels: readonly string[],
  { left, limit, exhaustion, reset }: Figures,
): (subject: string, timing: Timing, otherwise: string) => string {
  const selector = labels.map((label) => `${label}=%q`).join(",");
  // In vmalert, a label that is missing is no text, and the error of the query would lose the alert.
  const values = labels
    .map((label) => (label === "gateway" ? ` (or $labels.${label} "")` : ` $labels.${label}`))
    .join("");
  const of = "%[1]s";
  return (subject, { now }, otherwise) => {
    // The order of the texts is the order of the labels.
    const query = [
      numbered(0, left(of)),
      ...(limit ? [numbered(1, `${limit(of)} and ${left(of)}`)] : []),
      numbered(2, `${exhaustion(of)} - ${now} > 0`),
      ...(reset ? [numbered(3, `${reset(of)} - ${now}`)] : []),
    ].join(" or ");
    return `${subject}{{ range printf "{${selector}}"${values} | printf \`${query}\` | query | sortByLabel "n" }}${TEXTS}{{ else }} ${otherwise}{{ end }}`;
  };
}

function numbered(n: number, expr: string): string {
  return `label_replace(${expr},"n","${n}","","")`;
}

/** Seconds are left out, unless there is nothing else. */
const TEXTS = `{{ if eq .Labels.n "0" }}: {{ printf "%.2f" .Value }} credits left{{ else if eq .Labels.n "1" }} of {{ printf "%.2f" .Value }}{{ else }}, {{ if eq .Labels.n "2" }}out{{ else }}resets{{ end }} in {{ humanizeDuration .Value | reReplaceAll " [0-9.]+s$" "" }}{{ end }}`;
