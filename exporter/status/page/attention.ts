import type { BudgetRow, Overview } from "../overview.ts";
import type { ProbeRow } from "../probes-overview.ts";
import type { KeyRow, TargetRow } from "../target-rows.ts";
import { creditText } from "./amount.ts";
import { exceededMark, isExceeded, spentText } from "./budgets.ts";
import { foreign, type Html, html } from "./html.ts";
import { isUsedUp } from "./keys.ts";
import { answerAge, mark, stateMark } from "./marks.ts";
import { queryTitle } from "./queries.ts";
import { ago, until } from "./time.ts";

/** If everything fails, the first few targets are enough. */
const ATTENTION_SHOWN = 12;

/** Problems that need attention: a failed reload, failing targets with the error, exceeded budgets and used-up keys. */
export function attention(overview: Overview): Html {
  const { failedReloadMs, keys, queries, budgetQueries, budgets, probes, nowMs } = overview;
  const items = [
    ...(failedReloadMs === undefined ? [] : [failedReload(failedReloadMs, nowMs)]),
    ...budgets.filter(isExceeded).map((budget) => exceeded(budget, nowMs)),
    ...keys.filter(isFailing).map((key) => failing(key, foreign(key.name), answerAge(key, nowMs))),
    ...queries.filter(isFailing).map((query) => failingQuery(query, "Models and apps", nowMs)),
    ...budgetQueries.filter(isFailing).map((query) => failingQuery(query, "Budgets", nowMs)),
    ...(probes?.rows ?? []).filter(isFailing).map((probe) => failingProbe(probe, nowMs)),
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

/** Number of failing targets, including those that the list leaves out. */
export function countFailing({ keys, queries, budgetQueries, probes }: Overview): number {
  return [...keys, ...queries, ...budgetQueries, ...(probes?.rows ?? [])].filter(isFailing).length;
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
  return html`<li>
    <strong>${name}</strong> ${stateMark(target)} <small>${age}</small>
    ${target.failure ? html`<p>${foreign(target.failure.message, 400)}</p>` : undefined}
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

function usedUp({ name, limit, reset, nextResetMs }: KeyRow, nowMs: number): Html {
  const unclear = reset === "never" ? "it never resets" : "its reset is unknown";
  const again = nextResetMs === undefined ? unclear : html`resets ${until(nextResetMs, nowMs)}`;
  const amount = typeof limit === "number" ? creditText(limit) : "";
  return html`<li>
    <strong>${foreign(name)}</strong>
    ${mark("down", "▲", "Used up")}
    <small>nothing is left of ${amount} credits; ${again}</small>
  </li>`;
}
