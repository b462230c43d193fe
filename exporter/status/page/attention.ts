import type { BalanceRow } from "../account-overview.ts";
import { byUrgency, nearestLayer } from "../danger.ts";
import type { BudgetRow, Overview } from "../overview.ts";
import type { Danger, KeyRow, TargetRow } from "../target-rows.ts";
import { ACCOUNT_PATH, EXPORTER_PATH } from "../view.ts";
import { counted, credits } from "./amount.ts";
import { isExceeded, spentText } from "./budgets.ts";
import { balanceDanger, dangerText, endText } from "./danger-text.ts";
import { foreign, type Html, html, keyLink, namesText } from "./html.ts";
import { answerAge, dangerMark, faultText, isWarned, mark, stateMark } from "./marks.ts";
import { card } from "./table.ts";
import { targetsOf } from "./targets.ts";
import { ago, until } from "./time.ts";

/** If everything fails, the first few are enough. */
const ATTENTION_SHOWN = 12;

/** Its place in the list and its colour, and its text, which is made only if it is shown. */
type Item = readonly [danger: Danger, made: () => Html];

/** What stops a key or will, and what keeps that from being known, the most urgent first. */
export function attention(overview: Overview): Html {
  const { account, failedReloadMs, keys, budgets, nowMs } = overview;
  const balance = balanceDanger(account?.balance.forecast, nowMs);
  const endangered = new Set<TargetRow>(keys.filter(ownDanger));
  const items: readonly Item[] = [
    ...keys.flatMap((key): readonly Item[] => {
      const danger = ownDanger(key);
      return danger ? [[danger, () => ofKey(key, danger, nowMs)]] : [];
    }),
    ...ofShared(keys, nowMs),
    ...(account && balance
      ? [[balance, () => ofBalance(account.balance, balance, nowMs)] satisfies Item]
      : []),
    ...(failedReloadMs === undefined
      ? []
      : [[FAILING, () => failedReload(failedReloadMs, nowMs)] satisfies Item]),
    ...budgets.filter(isExceeded).map((budget): Item => [FAILING, () => exceeded(budget, nowMs)]),
    ...failingOf(overview)
      .filter(({ target }) => !endangered.has(target))
      .map((each): Item => [FAILING, () => ofTarget(each, nowMs)]),
    ...targetsOf(overview)
      .filter(({ target }) => isWarned(target))
      .map((each): Item => [WARNED, () => ofTarget(each, nowMs)]),
  ];
  if (items.length === 0) return html``;
  const ordered = items.toSorted(([one], [other]) => byUrgency(one, other)).slice(0, ATTENTION_SHOWN);
  const hidden = items.length - ordered.length;
  const list = html`<ul>
      ${ordered.map(([{ urgency }, made]) => html`<li class="${urgency}">${made()}</li>`)}
    </ul>
    ${hidden > 0 ? html`<p class="more">… and ${hidden} more, see below.</p>` : undefined}`;
  return card({ id: "attention", title: "Needs attention" }, list, "attention");
}

/** What one key alone is stopped by. */
function ownDanger({ danger }: KeyRow): Danger | undefined {
  return danger?.shared === undefined ? danger : undefined;
}

/** If its polls fail, that is part of it. */
function ofKey(key: KeyRow, danger: Danger, nowMs: number): Html {
  const text = dangerText(key, danger, nowMs);
  const isFailing = key.state === "down" && danger.why !== "refused";
  return item(
    keyLink(key.name),
    dangerMark(danger),
    isFailing ? html`${text}; ${stateMark(key)} ${failureText(key, answerAge(key, nowMs))}` : text,
  );
}

/** The budgets that several keys share, each once; the balance of the account has its own item. */
function ofShared(keys: readonly KeyRow[], nowMs: number): readonly Item[] {
  const groups = Map.groupBy(keys, ({ danger }) => danger?.shared);
  return [...groups].flatMap(([shared, [key, ...others]]): readonly Item[] => {
    const danger = key?.danger;
    if (!danger || shared === undefined || shared === "account") return [];
    const source = (danger.why === "used-up" && nearestLayer(key)?.source) || key.forecast?.source;
    const names = [key, ...others].map(({ name }) => name);
    const made = () =>
      item(
        html`Budget <code>${foreign(source ?? "", 64)}</code>`,
        dangerMark(danger),
        html`${dangerText(key, danger, nowMs)}; stops ${counted(names.length, "key")}: ${namesText(names, 3)}`,
      );
    return [[danger, made]];
  });
}

/** After what stops within a day. */
const FAILING: Danger = { urgency: "day", why: "refused" };
const WARNED: Danger = { urgency: "week", why: "scarce" };

interface Failing {
  readonly target: TargetRow;
  /** Absent: it is a key. */
  readonly title?: Html;
  readonly age?: Html;
}

/** The failing targets. A listed key fails together with its list, and only the list is reported; a refused key is stopped. */
export function failingOf(overview: Overview): readonly Failing[] {
  const { keys, probes, nowMs } = overview;
  const all: readonly Failing[] = [
    ...keys
      .filter(({ isListed, danger }) => isListed !== true && danger?.why !== "refused")
      .map((target) => ({ target })),
    ...targetsOf(overview),
    ...(probes?.rows ?? []).map((target) => ({
      target,
      title: html`Probe ${foreign(target.name)}`,
      age: successAge(target, nowMs),
    })),
  ];
  return all.filter(({ target }) => target.state === "down");
}

/** A probe also fails on a wrong answer, so its age counts from the last success. */
function successAge({ lastSuccessMs }: TargetRow, nowMs: number): Html {
  return lastSuccessMs === undefined
    ? html`never succeeded`
    : html`last succeeded ${ago(lastSuccessMs, nowMs)}`;
}

function item(title: Html, state: Html, text: Html): Html {
  return html`<strong>${title}</strong> <span>${state}</span> <small>${text}</small>`;
}

function ofTarget({ target, title, age }: Failing, nowMs: number): Html {
  const link = title ? html`<a href="${EXPORTER_PATH}">${title}</a>` : keyLink(target.name);
  return item(link, stateMark(target), failureText(target, age ?? answerAge(target, nowMs)));
}

function failureText(target: TargetRow, age: Html): Html {
  const why = faultText(target);
  return html`${age} ${why === undefined ? undefined : html`<span>${foreign(why, 800)}</span>`}`;
}

function failedReload(atMs: number, nowMs: number): Html {
  return item(
    html`Configuration`,
    mark("down", "Not reloaded"),
    html`the last reload failed ${ago(atMs, nowMs)}; the former configuration applies. The log and the command
      <code>check</code> report the problems.`,
  );
}

function exceeded(budget: BudgetRow, nowMs: number): Html {
  const { name, window } = budget;
  const end =
    window.endMs === Infinity ? "it never ends" : html`its window ends ${until(window.endMs, nowMs)}`;
  const text = html`budget: ${spentText(budget)} credits spent; ${end}`;
  return item(foreign(name), mark("down", "Exceeded"), text);
}

function ofBalance({ balance, forecast }: BalanceRow, danger: Danger, nowMs: number): Html {
  const title = html`<a href="${ACCOUNT_PATH}">Balance of the account</a>`;
  const text = html`${endText(danger, forecast, nowMs)}, ${credits(balance)} credits are left; at its end
  every call fails`;
  return item(title, dangerMark(danger), text);
}
