import type { Outlook } from "../../forecast/outlook.ts";
import { runningOut } from "../danger.ts";
import { decimalSum } from "../../metrics/decimal-sum.ts";
import type { Overview } from "../overview.ts";
import type { KeyRow } from "../target-rows.ts";
import { count, counted, credits, price, separated, tile, UNKNOWN } from "./amount.ts";
import { windowAt } from "../../time/window.ts";
import { ACCOUNT_PATH } from "../view.ts";
import { type Html, html, keyLink } from "./html.ts";
import { until } from "./time.ts";

/** Summarises the page in four figures. */
export function summary(overview: Overview): Html {
  if (overview.keys.length === 0) return html``;
  return html`<dl class="summary">
    ${nextTile(overview)} ${stoppedTile(overview.keys)} ${spendTile(overview, "day")}
    ${spendTile(overview, "month")}
  </dl>`;
}

/** Which key, or the account, runs out first. Without a forecast of every limit it is not said that none does. */
function nextTile({ keys, account, nowMs }: Overview): Html {
  const balance = account && { forecast: account.balance.forecast, name: undefined };
  const [first] = [...keys, ...(balance ? [balance] : [])]
    .flatMap(({ forecast, name }) => {
      const atMs = runningOut(forecast, nowMs)?.atMs;
      return atMs === undefined ? [] : { atMs, name };
    })
    .toSorted((one, other) => one.atMs - other.atMs);
  const unjudged = keys.filter(
    (key) => !isUnlimited(key) && (!key.forecast || UNJUDGED.has(key.forecast.outlook)),
  ).length;
  const doubt = unjudged > 0 ? html`not known yet for ${counted(unjudged, "key")}` : undefined;
  const title = "Runs out next";
  if (first) {
    const link =
      first.name === undefined ? html`<a href="${ACCOUNT_PATH}">the account</a>` : keyLink(first.name);
    return tile(title, until(first.atMs, nowMs), separated([link, doubt]));
  }
  if (unjudged === keys.length) return tile(title, UNKNOWN, doubt);
  return tile(title, html`none${doubt && " known"}`, doubt ?? html`no limit is going to run out`);
}

const UNJUDGED: ReadonlySet<Outlook> = new Set(["learning", "unknown"]);

/** No limit of its own, and no budget around it. */
function isUnlimited({ limit, layers = [] }: KeyRow): boolean {
  return limit === "unlimited" && layers.length === 0;
}

/** Without a known limit nothing is known to be used up, which is not 0. */
function stoppedTile(keys: readonly KeyRow[]): Html {
  const number = (is: (key: KeyRow) => boolean) => keys.filter(is).length;
  const stopped = number(({ danger }) => danger?.urgency === "stopped");
  const unknown = number(isUnread);
  const notes = [
    [number(({ state }) => state === "down"), html`failing`, "down"],
    [number(({ state }) => state === "waiting"), html`waiting`, "waiting"],
    [number(({ isDisabled }) => isDisabled === true), html`disabled`, "soft"],
    [number(isUnlimited), html`unlimited`, "soft"],
    [unknown, html`unknown`, "waiting"],
  ] as const;
  const figure = html`${count(stopped === 0 && unknown === keys.length ? undefined : stopped)}
    <span class="soft">of ${count(keys.length)}</span>`;
  return tile(
    "Keys stopped",
    figure,
    separated(
      notes.map(([amount, word, kind]) =>
        amount === 0 ? undefined : html`<span class="${kind}">${count(amount)} ${word}</span>`,
      ),
    ),
  );
}

function isUnread({ limit, remaining, danger }: KeyRow): boolean {
  return limit !== "unlimited" && (limit === undefined || remaining === undefined) && !danger;
}

/** A partial sum is marked as partial, and the sum of no values is unknown, not 0. */
function spendTile({ keys, creditValue, nowMs }: Overview, window: "day" | "month"): Html {
  const known = keys.flatMap((key) => key[window] ?? []);
  const total = known.length === 0 ? undefined : decimalSum(known);
  const cost = price(total, creditValue, windowAt(window, nowMs).startMs);
  return tile(
    `Credits ${window === "day" ? "today" : "this month"}`,
    credits(total),
    html`${extentOf(known.length, keys.length)}<br />${cost}`,
  );
}

function extentOf(known: number, all: number): Html {
  if (known === 0) return html`unknown for every key`;
  if (known < all) return html`<span class="high">partial: unknown for ${counted(all - known, "key")}</span>`;
  return html`${all === 1 ? "the only key" : `all ${counted(all, "key")}`}`;
}
