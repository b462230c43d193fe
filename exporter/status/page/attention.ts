import type { BudgetRow, Overview } from "../overview.ts";
import type { KeyRow, TargetRow } from "../target-rows.ts";
import { isWarned, warnedMark } from "./account.ts";
import { creditText, credits, usedText } from "./amount.ts";
import { exceededMark, isExceeded, spentText } from "./budgets.ts";
import { foreign, type Html, html, keyLink } from "./html.ts";
import { isScarce, isUsedUp, layerLine, usedShare } from "./keys.ts";
import { answerAge, failureText, mark } from "./marks.ts";
import { byExhaustion, isRunningOut, outlookMark } from "./outlook.ts";
import { ago, until } from "./time.ts";
import { queryTitle } from "./windows.ts";

/** If everything fails, the first few targets are enough. */
const ATTENTION_SHOWN = 12;

/** A target with how it is called in the list. */
type Watched = readonly [target: TargetRow, title: () => Html, age?: (nowMs: number) => Html];

/**
 * Problems that need attention: a failed reload, failing targets with the error, exceeded budgets, and keys
 * that are used up, nearly so, or will be before their reset.
 */
export function attention(overview: Overview): Html {
  const { account, failedReloadMs, keys, budgets, nowMs } = overview;
  const items = [
    ...(failedReloadMs === undefined ? [] : [() => failedReload(failedReloadMs, nowMs)]),
    ...ofAccount(account, nowMs),
    ...ofShared(keys, nowMs),
    ...budgets.filter(isExceeded).map((budget) => () => exceeded(budget, nowMs)),
    ...[
      ...watched(overview).filter(([target]) => isFailing(target)),
      ...accountTargets(account).filter(([target]) => isWarned(target)),
    ].map((each) => () => failing(each, nowMs)),
    ...keys.filter(isUsedUp).map((key) => () => usedUp(key, nowMs)),
    ...keys
      .filter((key) => isRunningOut(key) && !isUsedUp(key))
      .toSorted(byExhaustion)
      .map((key) => () => runningOut(key, nowMs)),
    ...keys.filter((key) => isScarce(key) && !isRunningOut(key)).map((key) => () => scarce(key, nowMs)),
  ];
  if (items.length === 0) return html``;
  const hidden = items.length - ATTENTION_SHOWN;
  return html`<section class="card attention" aria-labelledby="attention">
    <h2 id="attention">Needs attention</h2>
    <ul>
      ${items.slice(0, ATTENTION_SHOWN).map((made) => made())}
    </ul>
    ${hidden > 0 ? html`<p class="more">… and ${hidden} more, see below.</p>` : undefined}
  </section>`;
}

/** Number of failing targets, including those that the list leaves out. */
export function countFailing(overview: Overview): number {
  return watched(overview).filter(([target]) => isFailing(target)).length;
}

/** All targets, in the order of the list. A listed key fails together with its list, and only the list is reported. */
function watched({ keys, queries, unwatched, budgetQueries, account, probes }: Overview): readonly Watched[] {
  return [
    ...keys
      .filter(({ isListed }) => isListed !== true)
      .map((each): Watched => [each, () => keyLink(each.name)]),
    ...queries.map((each): Watched => [each, () => html`Models and apps, ${windowOf(each)}`]),
    ...(unwatched ? [[unwatched, () => html`Unwatched spend`] satisfies Watched] : []),
    ...budgetQueries.map((each): Watched => [each, () => html`Budgets, ${windowOf(each)}`]),
    ...accountTargets(account),
    ...(probes?.rows ?? []).map((each): Watched => [
      each,
      () => html`Probe ${foreign(each.name)}`,
      (nowMs) => successAge(each, nowMs),
    ]),
  ];
}

function windowOf({ name }: TargetRow): string {
  return queryTitle(name).toLowerCase();
}

/** A probe also fails on a wrong answer, so its age counts from the last success. */
function successAge({ lastSuccessMs }: TargetRow, nowMs: number): Html {
  return lastSuccessMs === undefined
    ? html`never succeeded`
    : html`last succeeded ${ago(lastSuccessMs, nowMs)}`;
}

function accountTargets(account: Overview["account"]): readonly Watched[] {
  if (!account) return [];
  const { balance, capabilities, listings, queries } = account;
  return [
    [balance, () => html`Balance of the account`],
    ...listings.map((each): Watched => [each, () => html`List of keys, workspace ${foreign(each.name)}`]),
    ...queries.map((each): Watched => [each, () => html`Query ${foreign(each.name)}`]),
    [capabilities, () => html`Names that queries may use`],
  ];
}

function failedReload(atMs: number, nowMs: number): Html {
  return html`<li>
    <strong>Configuration</strong> ${mark("down", "✕", "Not reloaded")}
    <small>the last reload failed ${ago(atMs, nowMs)}; the former configuration applies</small>
    <p>The log and the command <code>check</code> report the problems.</p>
  </li>`;
}

function isFailing(target: TargetRow): boolean {
  return target.state === "down";
}

function failing([target, title, age = (at) => answerAge(target, at)]: Watched, nowMs: number): Html {
  const why = isWarned(target) ? target.warning : failureText(target);
  return html`<li>
    <strong>${title()}</strong> ${warnedMark(target)} <small>${age(nowMs)}</small>
    ${why === undefined ? undefined : html`<p>${foreign(why, 800)}</p>`}
  </li>`;
}

function exceeded(budget: BudgetRow, nowMs: number): Html {
  const { name, windowEndMs } = budget;
  const end =
    windowEndMs === undefined ? "it never ends" : html`its window ends ${until(windowEndMs, nowMs)}`;
  return html`<li>
    <strong>${foreign(name)}</strong> ${exceededMark()}
    <small>budget: ${spentText(budget)} credits spent; ${end}</small>
  </li>`;
}

function usedUp(key: KeyRow, nowMs: number): Html {
  const layer = layerLine(key, nowMs);
  if (layer)
    return html`<li><strong>${keyLink(key.name)}</strong> ${mark("down", "▲", "Used up")} ${layer}</li>`;
  return ofLimit(
    key,
    mark("down", "▲", "Used up"),
    html`nothing is left of ${limitText(key)} credits`,
    nowMs,
  );
}

function runningOut(key: KeyRow, nowMs: number): Html {
  const { remaining, forecast } = key;
  const left =
    remaining === undefined ? undefined : html`, ${credits(remaining)} of ${limitText(key)} credits are left`;
  return ofLimit(
    key,
    html`${outlookMark(key)}`,
    html`used up ${until(forecast?.exhaustionMs ?? nowMs, nowMs)}${left}`,
    nowMs,
  );
}

/** What stops every key of the account: first of all. */
function ofAccount(account: Overview["account"], nowMs: number): readonly (() => Html)[] {
  const { forecast, balance } = account?.balance ?? {};
  const state = forecast && outlookMark({ forecast });
  if (!state) return [];
  const left = balance === undefined ? undefined : html`${credits(balance)} credits are left`;
  return [() => ending(html`Balance of the account`, state, forecast, nowMs, left)];
}

/** The budgets that several keys share and that are going to be used up, each once. */
function ofShared(keys: readonly KeyRow[], nowMs: number): readonly (() => Html)[] {
  const budgets = Map.groupBy(keys.filter(isBoundByShared), ({ forecast, layers = [] }) => {
    const layer = layers.find(({ source }) => source === forecast?.source);
    return layer?.sharedId ?? "";
  });
  return [...budgets.values()].map((bound) => () => {
    const [{ forecast } = {}] = bound;
    const title = html`Budget <code>${foreign(forecast?.source ?? "", 64)}</code>`;
    return ending(title, forecast && outlookMark({ forecast }), forecast, nowMs, html`keys: ${bound.length}`);
  });
}

function isBoundByShared({ forecast }: KeyRow): boolean {
  return forecast?.isShared === true && forecast.source !== "account" && forecast.exhaustionMs !== undefined;
}

function ending(
  title: Html,
  state: Html | undefined,
  forecast: KeyRow["forecast"],
  nowMs: number,
  more: Html | undefined,
): Html {
  const { exhaustionMs, outlook } = forecast ?? {};
  const isComing = exhaustionMs !== undefined && outlook !== "exhausted";
  const when = isComing ? html`used up ${until(exhaustionMs, nowMs)}; ` : undefined;
  return html`<li><strong>${title}</strong> ${state} <small>${when}${more}</small></li>`;
}

function scarce(key: KeyRow, nowMs: number): Html {
  const left = html`${usedText(usedShare(key) ?? 0)} is used, ${credits(key.remaining)} of ${limitText(key)}
  credits are left`;
  return ofLimit(key, mark("high", "◆", "Nearly used up"), left, nowMs);
}

function ofLimit({ name, reset, nextResetMs }: KeyRow, state: Html, left: Html, nowMs: number): Html {
  const resets =
    nextResetMs === undefined
      ? html`${reset === "never" ? "it never resets" : "its reset is unknown"}`
      : html`resets ${until(nextResetMs, nowMs)}`;
  return html`<li><strong>${keyLink(name)}</strong> ${state} <small>${left}; ${resets}</small></li>`;
}

function limitText({ limit }: KeyRow): string {
  return typeof limit === "number" ? creditText(limit) : "";
}
