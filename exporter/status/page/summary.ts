import { decimalSum } from "../../metrics/decimal-sum.ts";
import type { Overview } from "../overview.ts";
import type { KeyRow, TargetRow } from "../target-rows.ts";
import { count, counted, credits, HIGH_SHARE, price, separated, tile } from "./amount.ts";
import { windowAt } from "../../time/window.ts";
import { type Html, html } from "./html.ts";
import { isLow, isUsedUp } from "./keys.ts";

/** Summarises the page in four figures. */
export function summary({ keys, creditValue, nowMs }: Overview): Html {
  const spend = (title: string, window: "day" | "month") =>
    spendTile(title, keys, window, (total) => price(total, creditValue, windowAt(window, nowMs).startMs));
  if (keys.length === 0) return html``;
  return html`<dl class="summary">
    ${keysTile(keys)} ${spend("Credits today", "day")} ${spend("Credits this month", "month")}
    ${limitsTile(keys)}
  </dl>`;
}

function keysTile(keys: readonly KeyRow[]): Html {
  const counts = (state: TargetRow["state"]) => keys.filter((key) => key.state === state).length;
  const [down, waiting] = [counts("down"), counts("waiting")];
  const disabled = keys.filter((key) => key.isDisabled === true).length;
  const notes = [
    down > 0 ? html`<span class="state down">${count(down)} failing</span>` : undefined,
    waiting > 0 ? html`<span class="state waiting">${count(waiting)} waiting</span>` : undefined,
    disabled > 0 ? html`${count(disabled)} disabled` : undefined,
    down + waiting + disabled === 0 ? html`none failing` : undefined,
  ];
  const figure = html`${count(counts("up"))}<span class="soft"> of ${count(keys.length)}</span>`;
  return tile("Keys up", figure, separated(notes));
}

/** A partial sum is marked as partial, and the sum of no values is unknown, not 0. */
function spendTile(
  title: string,
  keys: readonly KeyRow[],
  window: "day" | "month",
  priceOf: (total: number | undefined) => Html | undefined,
): Html {
  const known = keys.flatMap((key) => key[window] ?? []);
  const total = known.length === 0 ? undefined : decimalSum(known);
  const extent = extentOf(known.length, keys.length);
  const cost = priceOf(total);
  return tile(title, credits(total), html`${extent}${cost && html`<br />${cost}`}`);
}

function extentOf(known: number, all: number): Html {
  if (known === 0) return html`unknown for every key`;
  if (known < all)
    return html`<span class="state high">partial: unknown for ${counted(all - known, "key")}</span>`;
  return html`${all === 1 ? "the only key" : `all ${counted(all, "key")}`}`;
}

function limitsTile(keys: readonly KeyRow[]): Html {
  const limited = keys.filter((key) => typeof key.limit === "number");
  const gone = limited.filter(isUsedUp).length;
  const high = limited.filter(isLow).length;
  const unlimited = keys.filter((key) => key.limit === "unlimited").length;
  const unread = limited.filter((key) => key.remaining === undefined && !isUsedUp(key)).length;
  const unknown = keys.length - limited.length - unlimited + unread;
  const notes = [
    high > 0
      ? html`<span class="state high">${count(high)} at ${HIGH_SHARE * 100}% or more</span>`
      : undefined,
    html`${count(limited.length)} with a limit`,
    unlimited > 0 ? html`${count(unlimited)} unlimited` : undefined,
    unknown > 0 ? html`${count(unknown)} unknown` : undefined,
  ];
  // Without a known limit nothing is known to be used up, which is not 0.
  const isUnknown = limited.length === unread && unknown > 0;
  return tile("Limits used up", count(isUnknown ? undefined : gone), separated(notes));
}
