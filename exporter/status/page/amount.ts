import { LOW_SHARE } from "../../metrics/thresholds.ts";
import type { Overview } from "../overview.ts";
import { type Html, html } from "./html.ts";

/** Credits with two decimals; a dash if they are unknown. */
export function credits(amount: number | undefined): Html {
  return amount === undefined ? UNKNOWN : html`${creditText(amount)}`;
}

/** An unknown value, which looks different from 0 and from unlimited. */
export const UNKNOWN = html`<span class="unknown" title="unknown">—</span>`;

const hundredths = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

export function creditText(amount: number): string {
  const size = hundredths.format(Math.abs(amount));
  return amount < 0 && size !== "0.00" ? `−${size}` : size;
}

export function count(amount: number | undefined): Html {
  return amount === undefined ? UNKNOWN : html`${whole.format(amount)}`;
}

/** A number with its noun: `1 key`, `2 keys`. */
export function counted(amount: number, one: string, many = `${one}s`): string {
  return `${whole.format(amount)} ${amount === 1 ? one : many}`;
}

/**
 * A share as a whole percentage, rounded down so that 100% means all of it; 29 of 100 is 29% although its binary
 * fraction times 100 is below that. Very large shares are cut to fit the table.
 */
export function usedText(share: number): string {
  if (share >= 10) return ">999%";
  const percent = Math.floor(share * 100 + ROUNDING_ERROR);
  return share > 0 && percent === 0 ? "<1%" : `${whole.format(percent).replace("-", "−")}%`;
}

/** More than the error of a few binary fractions, and less than any share that a person can tell apart. */
const ROUNDING_ERROR = 1e-9;

/** A share with one decimal. */
export function shareText(share: number): string {
  if (share > 0 && share < 0.001) return "<0.1%";
  return `${(share * 100).toFixed(1)}%`;
}

/** From this share on, a limit or a budget is nearly used up. */
export const HIGH_SHARE = 1 - LOW_SHARE;

/** A bar beside a text that states the same share: empty at 0, full at 1. */
export function bar(share: number, kind: "plain" | "high" | "full" = "plain"): Html {
  const width = Math.min(1, Math.max(0, share)) * 100;
  return html`<span class="bar ${kind}" aria-hidden="true"><i style="width:${width.toFixed(1)}%"></i></span>`;
}

/** A figure at the top of a page. */
export function tile(title: Html | string, figure: Html, note?: Html): Html {
  return html`<div class="card">
    <dt>${title}</dt>
    <dd>${figure}${note && html`<small>${note}</small>`}</dd>
  </div>`;
}

/** What credits cost that were spent since an instant; undefined: unknown, or the price has changed since then. */
export function price(
  amount: number | undefined,
  creditValue: Overview["creditValue"],
  sinceMs: number,
): Html | undefined {
  if (!creditValue || amount === undefined) return undefined;
  if (creditValue.former.some(({ untilMs }) => untilMs > sinceMs)) return undefined;
  return html`${creditText(amount * creditValue.value)} ${creditValue.currency}`;
}

/** The notes that there are, with a dot between them. */
export function separated(notes: readonly (Html | undefined)[]): Html {
  const given = notes.filter((note) => note !== undefined);
  return html`${given.map((note, index) => html`${index === 0 ? "" : " · "}${note}`)}`;
}
