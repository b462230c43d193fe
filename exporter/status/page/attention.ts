import type { BudgetRow, Overview } from "../overview.ts";
import type { ProbeRow } from "../probes-overview.ts";
import type { KeyRow, TargetRow } from "../target-rows.ts";
import { isWarned, warnedMark } from "./account.ts";
import { creditText, credits, usedText } from "./amount.ts";
import { exceededMark, isExceeded, spentText } from "./budgets.ts";
import { foreign, type Html, html } from "./html.ts";
import { isScarce, isUsedUp, keyLink, usedShare } from "./keys.ts";
import { answerAge, mark } from "./marks.ts";
import { queryTitle } from "./queries.ts";
import { ago, until } from "./time.ts";

/** If everything fails, the first few targets are enough. */
const ATTENTION_SHOWN = 12;

/**
 * Problems that need attention: a failed reload, failing targets with the error, exceeded budgets, and keys
 * that are used up or nearly so.
 */
export function attention(overview: Overview): Html {
  const { failedReloadMs, keys, queries, unwatched, budgetQueries, budgets, probes, nowMs } = overview;
  const ofAccount = accountTargets(overview.account);
  const items = [
    ...(failedReloadMs === undefined ? [] : [() => failedReload(failedReloadMs, nowMs)]),
    ...budgets.filter(isExceeded).map((budget) => () => exceeded(budget, nowMs)),
    ...keys.filter(isFailingKey).map((key) => () => failing(key, keyLink(key.name), answerAge(key, nowMs))),
    ...queries.filter(isFailing).map((query) => () => failingQuery(query, "Models and apps", nowMs)),
    ...(unwatched && isFailing(unwatched)
      ? [() => failing(unwatched, html`Unwatched spend`, answerAge(unwatched, nowMs))]
      : []),
    ...budgetQueries.filter(isFailing).map((query) => () => failingQuery(query, "Budgets", nowMs)),
    ...ofAccount
      .filter(([, target]) => isFailing(target) || isWarned(target))
      .map(
        ([title, target]) =>
          () =>
            failing(target, title, answerAge(target, nowMs)),
      ),
    ...(probes?.rows ?? []).filter(isFailing).map((probe) => () => failingProbe(probe, nowMs)),
    ...keys.filter(isUsedUp).map((key) => () => usedUp(key, nowMs)),
    ...keys.filter(isScarce).map((key) => () => scarce(key, nowMs)),
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
export function countFailing({ keys, queries, unwatched, budgetQueries, account, probes }: Overview): number {
  return [
    ...keys.filter(isFailingKey),
    ...accountTargets(account).map(([, target]) => target),
    ...queries,
    ...(unwatched ? [unwatched] : []),
    ...budgetQueries,
    ...(probes?.rows ?? []),
  ].filter(isFailing).length;
}

function accountTargets(
  account: Overview["account"],
): readonly (readonly [title: Html, target: TargetRow])[] {
  if (!account) return [];
  const { balance, capabilities, listings, queries } = account;
  return [
    [html`Balance of the account`, balance],
    ...listings.map((each) => [html`List of keys, workspace ${foreign(each.name)}`, each] as const),
    ...queries.map((each) => [html`Query ${foreign(each.name)}`, each] as const),
    [html`Names that queries may use`, capabilities],
  ];
}

/** A listed key fails together with its list, and only the list is reported. */
function isFailingKey(key: KeyRow): boolean {
  return isFailing(key) && key.isListed !== true;
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

function failing(target: TargetRow, name: Html, age: Html): Html {
  const why = isWarned(target) ? target.warning : target.failure?.message;
  return html`<li>
    <strong>${name}</strong> ${warnedMark(target)} <small>${age}</small>
    ${why === undefined ? undefined : html`<p>${foreign(why, 400)}</p>`}
  </li>`;
}

function failingQuery(query: TargetRow, of: string, nowMs: number): Html {
  return failing(query, html`${of}, ${queryTitle(query.name).toLowerCase()}`, answerAge(query, nowMs));
}

/** A probe also fails on a wrong answer, so its age counts from the last success. */
function failingProbe(probe: ProbeRow, nowMs: number): Html {
  const { name, lastSuccessMs } = probe;
  const age =
    lastSuccessMs === undefined ? html`never succeeded` : html`last succeeded ${ago(lastSuccessMs, nowMs)}`;
  return failing(probe, html`Probe ${foreign(name)}`, age);
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
  return html`<li>
    <strong>${keyLink(key.name)}</strong>
    ${mark("down", "▲", "Used up")}
    <small>nothing is left of ${limitText(key)} credits; ${resetText(key, nowMs)}</small>
  </li>`;
}

function scarce(key: KeyRow, nowMs: number): Html {
  return html`<li>
    <strong>${keyLink(key.name)}</strong>
    ${mark("high", "◆", "Nearly used up")}
    <small
      >${usedText(usedShare(key) ?? 0)} is used, ${credits(key.remaining)} of ${limitText(key)} credits are
      left; ${resetText(key, nowMs)}</small
    >
  </li>`;
}

function limitText({ limit }: KeyRow): string {
  return typeof limit === "number" ? creditText(limit) : "";
}

function resetText({ reset, nextResetMs }: KeyRow, nowMs: number): Html {
  if (nextResetMs !== undefined) return html`resets ${until(nextResetMs, nowMs)}`;
  return html`${reset === "never" ? "it never resets" : "its reset is unknown"}`;
}
