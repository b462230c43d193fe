import { isOwn, nearestLayer, runningOut, usedShare } from "../danger.ts";
import type { BalanceRow } from "../account-overview.ts";
import type { Danger, KeyRow } from "../target-rows.ts";
import { creditText, usedText } from "./amount.ts";
import { foreign, type Html, html } from "./html.ts";
import { answerAge, dangerMark, faultText } from "./marks.ts";
import { ago, until } from "./time.ts";

/** Since when or until when a key stops, and what is left of it. */
export function dangerText(key: KeyRow, danger: Danger, nowMs: number): Html {
  const { why, atMs = 0 } = danger;
  if (why === "refused")
    return html`${answerAge(key, nowMs)} <span>${foreign(faultText(key) ?? "", 800)}</span>`;
  if (why === "expired") return ago(atMs, nowMs);
  if (why === "expires") return until(atMs, nowMs);
  const left = leftText(key, nowMs);
  if (why === "used-up") return layerText(key, nowMs) ?? left ?? html``;
  if (why === "scarce") return html`${usedText(usedShare(key) ?? 0)} is used, ${left}`;
  return html`${endText(danger, key.forecast, nowMs)}${isOwn(key) && left ? html`, ${left}` : undefined}`;
}

/** What is left of the key's own limit, and until when; undefined: unknown. */
function leftText({ limit, remaining, reset, nextResetMs, danger }: KeyRow, nowMs: number): Html | undefined {
  if (typeof limit !== "number" || remaining === undefined) return undefined;
  const left =
    danger?.why === "used-up"
      ? html`nothing is left of ${creditText(limit)} credits`
      : html`${creditText(remaining)} of ${creditText(limit)} credits are left`;
  if (nextResetMs !== undefined) return html`${left}; resets ${until(nextResetMs, nowMs)}`;
  return html`${left}; ${reset === "never" ? "it never resets" : "its reset is unknown"}`;
}

/** What the budget around a key leaves, and until when; undefined: its own limit is the nearest. */
export function layerText(key: KeyRow, nowMs: number): Html | undefined {
  const layer = nearestLayer(key);
  if (!layer) return undefined;
  const { source, remainingCredits = 0, limitCredits, nextResetMs } = layer;
  const of = limitCredits === undefined ? undefined : html` of ${creditText(limitCredits)}`;
  const left = remainingCredits <= 0 ? "nothing" : creditText(remainingCredits);
  const resets = nextResetMs === undefined ? undefined : html`, resets ${until(nextResetMs, nowMs)}`;
  return html`budget <code>${foreign(source, 64)}</code>: ${left}${of} left${resets}`;
}

/** How long a limit lasts that is in no danger. */
export function lastingText({ forecast, reset, nextResetMs }: Partial<KeyRow>): Html {
  const { outlook = "unknown", leftAtReset } = forecast ?? {};
  if (outlook === "learning")
    return html`How fast it is spent is not known yet: the exporter is still learning.`;
  if (outlook === "unknown" || outlook === "unlimited") return html`How long it lasts is not known.`;
  if (leftAtReset !== undefined) {
    const of = isOwn({ forecast }) ? undefined : html` of ${boundText(forecast?.source)}`;
    return html`Estimate: ${creditText(leftAtReset)} credits${of} will be left at the
    reset${rateText(forecast)}.`;
  }
  return reset === "never" || nextResetMs === undefined
    ? html`Estimate: it lasts for more than a week.`
    : html`Estimate: it lasts until its reset.`;
}

/** What ends or will end the balance. */
export function balanceDanger(forecast: BalanceRow["forecast"], nowMs: number): Danger | undefined {
  return forecast?.outlook === "exhausted"
    ? { urgency: "stopped", why: "used-up", atMs: forecast.exhaustionMs }
    : runningOut(forecast, nowMs);
}

/** How long the balance lasts; undefined: there is no answer yet. */
export function balanceText({ forecast, topUp }: BalanceRow, nowMs: number): Html | undefined {
  const danger = balanceDanger(forecast, nowMs);
  if (danger) return html`${dangerMark(danger)} ${endText(danger, forecast, nowMs)}`;
  if (topUp)
    return html`Buys ${creditText(topUp.credits)} credits automatically when the balance falls below
    ${creditText(topUp.below)}.`;
  return forecast && lastingText({ forecast });
}

/** When credits run out, or ran out. */
export function endText(
  { why, atMs }: Danger,
  forecast: KeyRow["forecast"],
  nowMs: number,
): Html | undefined {
  if (atMs === undefined) return undefined;
  const subject = isOwn({ forecast }) ? undefined : html`${boundText(forecast?.source)} is `;
  return html`${subject}used up
  ${why === "used-up" ? ago(atMs, nowMs) : until(atMs, nowMs)}${rateText(forecast)}`;
}

/** What bounds a key beside its own limit. */
export function boundText(source = ""): Html {
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
  return rate === undefined ? undefined : html` at ${creditText(rate)} credits an hour`;
}
