import type { Outlook } from "../../forecast/outlook.ts";
import type { KeyRow } from "../target-rows.ts";
import { creditText } from "./amount.ts";
import { foreign, type Html, html } from "./html.ts";
import { mark } from "./marks.ts";
import { until } from "./time.ts";

/** What is known about how long credits last. */
export type Lasting = Pick<KeyRow, "forecast" | "nextResetMs" | "reset">;

/** Whether the credits are going to run out, before their reset if they have one. */
export function isRunningOut({ forecast }: Lasting): boolean {
  return forecast?.exhaustionMs !== undefined && forecast.outlook !== "exhausted" && !forecast.isShared;
}

/** The order in which credits run out; what does not run out comes last. */
export function byExhaustion(one: Lasting, other: Lasting): number {
  const [mine, its] = [one, other].map(({ forecast }) => forecast?.exhaustionMs ?? Number.MAX_VALUE);
  return (mine ?? 0) - (its ?? 0);
}

/** How urgent it is that credits run out. */
export function outlookMark({ forecast }: Lasting): Html | undefined {
  return forecast && MARKS.get(forecast.outlook);
}

const MARKS: ReadonlyMap<Outlook, Html> = new Map([
  ["exhausted", mark("down", "▲", "Used up")],
  ["imminent", mark("down", "▲", "Runs out within the hour")],
  ["predicted", mark("high", "▲", "Runs out within a day")],
  ["slow", mark("high", "◆", "Runs out")],
]);

/** How long credits last, in a sentence. */
export function outlookText(lasting: Lasting, nowMs: number): Html {
  const { forecast, nextResetMs, reset } = lasting;
  const { outlook = "unknown", exhaustionMs, leftAtReset, source } = forecast ?? {};
  if (outlook === "learning")
    return html`How fast it is spent is not known yet: the exporter is still learning.`;
  if (outlook === "unknown" || outlook === "unlimited") return html`How long it lasts is not known.`;
  const of = source === undefined ? undefined : html` of ${bound(source)}`;
  if (outlook === "exhausted") return html`${outlookMark(lasting)} Next to nothing is left${of}.`;
  if (exhaustionMs !== undefined) {
    const isEarly = nextResetMs !== undefined && exhaustionMs < nextResetMs;
    const early = isEarly ? html`, before its reset` : undefined;
    return html`${outlookMark(lasting)} Estimate: used up
    ${until(exhaustionMs, nowMs)}${early}${of}${rateText(forecast)}.`;
  }
  if (leftAtReset !== undefined)
    return html`Estimate: ${creditText(leftAtReset)} credits${of} will be left at the
    reset${rateText(forecast)}.`;
  return reset === "never" || nextResetMs === undefined
    ? html`Estimate: it lasts for more than a week.`
    : html`Estimate: it lasts until its reset.`;
}

function bound(source: string): Html {
  return source === "account"
    ? html`the balance of the account`
    : html`the budget <code>${foreign(source, 64)}</code>`;
}

/** The rate that the estimate rests on, if it is one. */
function rateText(forecast: KeyRow["forecast"]): Html | undefined {
  const { basis, burn, isShared } = forecast ?? {};
  if (isShared) return undefined;
  const rate =
    basis === "15m" || basis === "1h" || basis === "6h" || basis === "1d" ? burn?.[basis] : undefined;
  return rate === undefined ? undefined : html`, at ${creditText(rate)} credits an hour`;
}
