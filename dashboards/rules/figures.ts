import type { Timing } from "./timing.ts";

/** Where an amount or an instant comes from: PromQL for one value, given the selector of the alert's labels. */
type Figure = (selector: string) => string;

interface Figures {
  readonly left: Figure;
  readonly limit?: Figure;
  /** Seconds since the epoch. */
  readonly exhaustion?: Figure;
  readonly reset?: Figure;
  /** An info series whose label `source` says which of several budgets the figures are about; none: the one without. */
  readonly source?: Figure;
  /** What the amount is, and what happens then. */
  readonly words?: { readonly amount: string; readonly reset: string };
}

const LEFT = { amount: "left", reset: "resets" };

/**
 * The summary of an alert: what is left of the limit, when it ends and when it resets, each only if it is known. Without an answer,
 * as in Grafana, which has no `query`, the words say what fires.
 */
export function figures(
  labels: readonly string[],
  { left, limit, exhaustion, reset, source, words = LEFT }: Figures,
): (subject: string, timing: Timing, otherwise: string) => string {
  const matchers = labels.map((label) => `${label}=%q`).join(",");
  // In vmalert a missing label is not an empty text: the query would fail, and the alert would be lost.
  const values = labels.map((label) =>
    label === "gateway" ? `(or $labels.gateway "")` : `$labels.${label}`,
  );
  const selector = `{{ $s := printf "${matchers}" ${values.join(" ")} }}`;
  const chosen = source
    ? `{{ $b := "" }}${ask(source, "{{ $b = .Labels.source }} ({{ $b }})")}{{ $l := printf "%s,source=%q" $s $b }}`
    : "";
  const limited = source ? "$l" : "$s";
  return (subject, { now }, otherwise) =>
    [
      subject,
      selector,
      chosen,
      ask(
        left,
        `: ${AMOUNT}${limit ? ask(limit, ` of ${AMOUNT}`, limited) : ""} credits ${words.amount}`,
        limited,
        ` ${otherwise}`,
      ),
      exhaustion ? ask((of) => `${exhaustion(of)} - ${now} > 0`, `, out in ${TIME}`) : "",
      reset ? ask((of) => `${reset(of)} - ${now}`, `, ${words.reset} in ${TIME}`, limited) : "",
    ].join("");
}

/** The text for the value that a query finds. */
function ask(figure: Figure, text: string, selector = "$s", otherwise = ""): string {
  const words = otherwise === "" ? "" : `{{ else }}${otherwise}`;
  const isOnce = figure("{%s}").split("%s").length === 2;
  return `{{ range printf "${figure(isOnce ? "{%s}" : "{%[1]s}")}" ${selector} | query }}${text}${words}{{ end }}`;
}

const AMOUNT = '{{ printf "%.2f" .Value }}';
/** Without seconds, unless there is nothing else. */
const TIME = '{{ humanizeDuration .Value | reReplaceAll " [^ ]+$" "" }}';
