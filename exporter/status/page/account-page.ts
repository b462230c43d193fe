import type { Overview } from "../overview.ts";
import { type KeyRow, wholeCredits } from "../target-rows.ts";
import { ACCOUNT_PATH } from "../view.ts";
import { accountSection } from "./account.ts";
import { counted, credits, creditText, shareText } from "./amount.ts";
import { NO_ACCOUNT } from "./axis-page.ts";
import { budgetsSection } from "./budgets.ts";
import { type Html, html } from "./html.ts";
import { keyLink, ownerLine } from "./keys.ts";
import { layout } from "./layout.ts";
import { least, queriesSection, queryTitle } from "./queries.ts";
import { unwatchedSection } from "./unwatched.ts";

/** What the management key shows of the whole account, and which keys spend the most. */
export function renderAccountPage(overview: Overview, telemetryPath: string): Html {
  const { account, keys, nowMs, queries, unwatched } = overview;
  const budgets = overview.budgets.filter(({ scope }) => scope.kind === "account");
  const sections = [
    () => (account ? tiles(overview) : NO_ACCOUNT),
    () => budgetsSection(budgets, keys.length, nowMs),
    () => unwatchedSection(unwatched),
    () => largestKeys(overview),
    () => queriesSection(queries, nowMs),
    () => accountSection(account, nowMs),
  ];
  const title = "Account – AI gateway exporter";
  const links = html`<a href="${ACCOUNT_PATH}">Refresh</a>`;
  const heading = html`Account`;
  return layout({ path: ACCOUNT_PATH, title, heading, links, sections }, overview, telemetryPath);
}

function tiles({ account, queries, creditValue }: Overview): Html {
  const price = (amount: number | undefined) =>
    creditValue && amount !== undefined
      ? html`<small>${creditText(amount * creditValue.value)} ${creditValue.currency}</small>`
      : undefined;
  const tile = (title: string, amount: number | undefined, bound?: Html) =>
    html`<div class="card">
      <dt>${title}</dt>
      <dd>${bound}${credits(amount)}${price(amount)}</dd>
    </div>`;
  const spent = queries
    .filter(({ name }) => !name.startsWith("last_"))
    .map((query) => {
      const title = `Spent ${queryTitle(query.name).toLowerCase()}`;
      return tile(title, query.credits, least(query.isLeast, query.credits));
    });
  return html`<dl class="summary">
    ${tile("Balance", account?.balance.balance)} ${tile("Bought in all", account?.balance.bought)}
    ${tile("Used in all", account?.balance.used)} ${spent}
  </dl>`;
}

const KEYS_SHOWN = 20;

/** The keys that spent the most this month, with their share of the account. */
function largestKeys({ keys, queries }: Overview): Html {
  const known = keys.filter(({ month }) => month !== undefined);
  if (known.length === 0) return html``;
  const monthly = queries.find(({ name }) => name === "month");
  const total = monthly && wholeCredits(monthly);
  const largest = known.toSorted((one, other) => (other.month ?? 0) - (one.month ?? 0)).slice(0, KEYS_SHOWN);
  const unknown = keys.length - known.length;
  return html`<section class="card wide">
    <div class="scroll" role="region" aria-labelledby="largest" tabindex="0">
      <table class="sheet">
        <caption>
          <h2 id="largest">Largest keys of the month</h2>
        </caption>
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col" class="number">Today</th>
            <th scope="col" class="number">This month</th>
            <th scope="col" class="number">Share of the account</th>
          </tr>
        </thead>
        <tbody>
          ${largest.map((key) => keyRow(key, total))}
        </tbody>
      </table>
    </div>
    <p class="more">
      <a href="/?sort=month">All ${counted(keys.length, "key")}</a
      >${unknown > 0 ? html`; the month of ${unknown} is unknown` : undefined}.
    </p>
  </section>`;
}

function keyRow(key: KeyRow, total: number | undefined): Html {
  const { month = 0 } = key;
  const share = total !== undefined && total > 0 && month >= 0 ? shareText(month / total) : "—";
  return html`<tr>
    <th scope="row">${keyLink(key.name)}${ownerLine(key)}</th>
    <td class="number" data-label="Today">${credits(key.day)}</td>
    <td class="number" data-label="This month">${credits(key.month)}</td>
    <td class="number" data-label="Share of the account">${share}</td>
  </tr>`;
}
