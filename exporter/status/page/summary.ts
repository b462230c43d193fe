import type { Overview } from "../overview.ts";
import type { KeyRow, TargetRow } from "../target-rows.ts";
import { count, counted, creditText, credits, HIGH_SHARE } from "./amount.ts";
import { type Html, html } from "./html.ts";
import { isUsedUp, usedShare } from "./keys.ts";

/** Summarises the page in four figures. */
export function summary({ keys, creditValue }: Overview): Html {
  if (keys.length === 0) return html``;
  return html`<dl class="summary">
    ${keysTile(keys)} ${spendTile("Credits today", keys, "day", creditValue)}
    ${spendTile("Credits this month", keys, "month", creditValue)} ${limitsTile(keys)}
  </dl>`;
}

function tile(title: string, figure: Html, note: Html): Html {
  return html`<div class="card">
    <dt>${title}</dt>
    <dd>${figure}<small>${note}</small></dd>
  </div>`;
}

function keysTile(keys: readonly KeyRow[]): Html {
  const counts = (state: TargetRow["state"]) => keys.filter((key) => key.state === state).length;
  const [up, down, waiting] = [counts("up"), counts("down"), counts("waiting")];
  const disabled = keys.filter((key) => key.isDisabled === true).length;
  const notes = [
    ...(down > 0 ? [html`<span class="state down">${counted(down, "failing", "failing")}</span>`] : []),
    ...(waiting > 0
      ? [html`<span class="state waiting">${counted(waiting, "waiting", "waiting")}</span>`]
      : []),
    ...(disabled > 0 ? [html`${count(disabled)} disabled`] : []),
  ];
  const note = notes.length === 0 ? html`none failing` : html`${separated(notes)}`;
  return tile("Keys up", html`${count(up)}<span class="soft"> of ${count(keys.length)}</span>`, note);
}

/** A partial sum is marked as partial, and the sum of no values is unknown, not 0. */
function spendTile(
  title: string,
  keys: readonly KeyRow[],
  window: "day" | "month",
  creditValue: Overview["creditValue"],
): Html {
  let [sum, known] = [0, 0];
  for (const { [window]: amount } of keys) {
    if (amount === undefined) continue;
    sum += amount;
    known++;
  }
  const total = known === 0 ? undefined : sum;
  const extent = extentOf(known, keys.length);
  const price =
    creditValue && total !== undefined
      ? html`<br />${creditText(total * creditValue.value)} ${creditValue.currency}`
      : undefined;
  return tile(title, credits(total), html`${extent}${price}`);
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
  const high = limited.filter((key) => !isUsedUp(key) && (usedShare(key) ?? 0) >= HIGH_SHARE).length;
  const unlimited = keys.filter((key) => key.limit === "unlimited").length;
  const unknown = keys.length - limited.length - unlimited;
  const notes = [
    ...(high > 0
      ? [html`<span class="state high">${count(high)} at ${HIGH_SHARE * 100}% or more</span>`]
      : []),
    html`${count(limited.length)} with a limit`,
    ...(unlimited > 0 ? [html`${count(unlimited)} unlimited`] : []),
    ...(unknown > 0 ? [html`${count(unknown)} unknown`] : []),
  ];
  // Without a known limit nothing is known to be used up, which is not 0.
  const isUnknown = limited.length === 0 && unknown > 0;
  return tile("Limits used up", isUnknown ? html`—` : count(gone), separated(notes));
}

function separated(notes: readonly Html[]): Html {
  return html`${notes.map((note, index) => html`${index === 0 ? "" : " · "}${note}`)}`;
}
