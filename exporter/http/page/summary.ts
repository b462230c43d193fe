import { foreign, type Html, html } from "./html.ts";
import type { BudgetRow, KeyRow, Overview, TargetRow } from "../overview.ts";
import { counted, creditText, credits, HIGH_SHARE } from "./amount.ts";
import { exceededMark, isExceeded, spentText } from "./budgets.ts";
import { isUsedUp, usedShare } from "./keys.ts";
import { queryTitle } from "./queries.ts";
import { answerAge, state } from "./state.ts";
import { until } from "./time.ts";

/** The page in four figures. */
export function summary({ keys, creditValue }: Overview): Html {
  if (keys.length === 0) return html``;
  return html`<dl class="summary">
    ${keysTile(keys)} ${spendTile("Credits today", keys, "day", creditValue)}
    ${spendTile("Credits this month", keys, "month", creditValue)} ${limitsTile(keys)}
  </dl>`;
}

/** The most targets that are named; when everything fails, the first ones tell enough. */
const ATTENTION_SHOWN = 12;

/** What somebody should look at: the failing keys and queries with what the gateway said, and what is spent beyond its limit. */
export function attention({ keys, queries, budgets, nowMs }: Overview): Html {
  const items = [
    ...budgets.filter(isExceeded).map((budget) => exceeded(budget, nowMs)),
    ...keys.filter(isFailing).map((key) => failing(key, foreign(key.name), nowMs)),
    ...queries
      .filter(isFailing)
      .map((query) => failing(query, html`Models and apps, ${queryTitle(query.name).toLowerCase()}`, nowMs)),
    ...keys.filter(isUsedUp).map((key) => usedUp(key, nowMs)),
  ];
  if (items.length === 0) return html``;
  const hidden = items.length - ATTENTION_SHOWN;
  return html`<section class="card attention" aria-labelledby="attention">
    <h2 id="attention">Needs attention</h2>
    <ul>
      ${items.slice(0, ATTENTION_SHOWN)}
    </ul>
    ${hidden > 0 ? html`<p class="more">… and ${hidden} more, see below.</p>` : undefined}
  </section>`;
}

function isFailing(target: TargetRow): boolean {
  return target.state === "down";
}

function failing(target: TargetRow, name: Html, nowMs: number): Html {
  return html`<li>
    <strong>${name}</strong> ${state(target)} <small>${answerAge(target, nowMs)}</small>
    ${target.failure ? html`<p>${foreign(target.failure.message, 400)}</p>` : undefined}
  </li>`;
}

function exceeded(budget: BudgetRow, nowMs: number): Html {
  const { name, windowEndMs } = budget;
  const end =
    windowEndMs === undefined ? "it has no end" : html`its window ends ${until(windowEndMs, nowMs)}`;
  return html`<li>
    <strong>${foreign(name)}</strong> ${exceededMark()}
    <small>budget: ${spentText(budget)} credits are spent; ${end}</small>
  </li>`;
}

function usedUp({ name, limit, reset, nextResetMs }: KeyRow, nowMs: number): Html {
  const unclear = reset === "never" ? "it never resets" : "its reset is not known";
  const again = nextResetMs === undefined ? unclear : html`resets ${until(nextResetMs, nowMs)}`;
  const amount = typeof limit === "number" ? creditText(limit) : "";
  return html`<li>
    <strong>${foreign(name)}</strong>
    <span class="state down"><span aria-hidden="true">▲</span> Used up</span>
    <small>nothing is left of ${amount} credits; ${again}</small>
  </li>`;
}

function tile(title: string, figure: Html, note: Html): Html {
  return html`<div class="card">
    <dt>${title}</dt>
    <dd>${figure}<small>${note}</small></dd>
  </div>`;
}

function keysTile(keys: readonly KeyRow[]): Html {
  const of = (word: TargetRow["state"]) => keys.filter((key) => key.state === word).length;
  const [up, down, waiting] = [of("up"), of("down"), of("waiting")];
  const notes = [
    ...(down > 0 ? [html`<span class="state down">${counted(down, "failing", "failing")}</span>`] : []),
    ...(waiting > 0
      ? [html`<span class="state waiting">${counted(waiting, "waiting", "waiting")}</span>`]
      : []),
  ];
  const note = notes.length === 0 ? html`all answer` : html`${separated(notes)}`;
  return tile("Keys up", html`${up}<span class="soft"> of ${keys.length}</span>`, note);
}

/** A sum with a part missing says so, and a sum of nothing is not 0. */
function spendTile(
  title: string,
  keys: readonly KeyRow[],
  window: "day" | "month",
  creditValue: Overview["creditValue"],
): Html {
  const known = keys.flatMap((key) => key[window] ?? []);
  const total = known.length === 0 ? undefined : known.reduce((sum, amount) => sum + amount, 0);
  const extent = extentOf(known.length, keys.length);
  const price =
    creditValue && total !== undefined
      ? html`<br />${creditText(total * creditValue.value)} ${creditValue.currency}`
      : undefined;
  return tile(title, credits(total), html`${extent}${price}`);
}

function extentOf(known: number, all: number): Html {
  if (known === 0) return html`not known of any key`;
  if (known < all)
    return html`<span class="state high">partial: ${counted(all - known, "key")} not known</span>`;
  return html`${all === 1 ? "the only key" : `all ${counted(all, "key")}`}`;
}

function limitsTile(keys: readonly KeyRow[]): Html {
  const limited = keys.filter((key) => typeof key.limit === "number");
  const gone = limited.filter(isUsedUp).length;
  const high = limited.filter((key) => !isUsedUp(key) && (usedShare(key) ?? 0) >= HIGH_SHARE).length;
  const unlimited = keys.filter((key) => key.limit === "unlimited").length;
  const unknown = keys.length - limited.length - unlimited;
  const notes = [
    ...(high > 0 ? [html`<span class="state high">${high} at ${HIGH_SHARE * 100}% or more</span>`] : []),
    html`${limited.length} with a limit`,
    ...(unlimited > 0 ? [html`${unlimited} unlimited`] : []),
    ...(unknown > 0 ? [html`${unknown} not known`] : []),
  ];
  return tile("Limits used up", html`${gone}`, separated(notes));
}

function separated(notes: readonly Html[]): Html {
  return html`${notes.map((note, index) => html`${index === 0 ? "" : " · "}${note}`)}`;
}
