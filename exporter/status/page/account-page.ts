import type { Overview } from "../overview.ts";
import { ACCOUNT_PATH } from "../view.ts";
import { accountSection, unwatchedSection } from "./account.ts";
import { counted, credits, price, tile } from "./amount.ts";
import { NO_ACCOUNT } from "./axis-page.ts";
import { budgetsSection } from "./budgets.ts";
import { type Html, html, keyLink } from "./html.ts";
import { ownerLine } from "./keys.ts";
import { layout, type Written } from "./layout.ts";
import { pairsSection, rankingSection } from "./ranking.ts";

/** What the management key shows of the whole account, and which keys spend the most. */
export function renderAccountPage(overview: Overview, telemetryPath: string): Written {
  const { account, keys, nowMs, unwatched } = overview;
  const budgets = overview.budgets.filter(({ scope }) => scope.kind === "account");
  const sections = [
    account ? balanceTiles(overview) : NO_ACCOUNT,
    budgetsSection(budgets, keys.length, nowMs),
    unwatchedSection(unwatched),
    largestKeys(overview),
    pairsSection(overview),
    accountSection(account, nowMs),
  ];
  const links = html`<a href="${ACCOUNT_PATH}">Refresh</a>`;
  const about = { path: ACCOUNT_PATH, title: "Account – AI gateway exporter", heading: html`Account`, links };
  return layout({ ...about, sections }, overview, telemetryPath);
}

function balanceTiles({ account, creditValue, nowMs }: Overview): Html {
  const known = [
    ["Balance", account?.balance.balance, nowMs],
    ["Bought in all", account?.balance.bought, 0],
    ["Used in all", account?.balance.used, 0],
  ] as const;
  return html`<dl class="summary">
    ${known.map(([title, amount, sinceMs]) => tile(title, credits(amount), price(amount, creditValue, sinceMs)))}
  </dl>`;
}

const KEYS_SHOWN = 20;

/** The keys that spent the most this month, with their share of the account. */
function largestKeys({ keys, queries }: Overview): Html {
  const known = keys.filter(({ month }) => month !== undefined);
  if (known.length === 0 || queries.length === 0) return html``;
  const windows = ["day", "month"] as const;
  // A key that does not report an amount is unknown.
  const columns = queries
    .filter(({ name }) => windows.some((window) => window === name))
    .map((query) => ({ ...query, dataMs: undefined }));
  const rows = known
    .toSorted((one, other) => (other.month ?? 0) - (one.month ?? 0))
    .slice(0, KEYS_SHOWN)
    .map((key) => ({
      title: html`${keyLink(key.name)}${ownerLine(key)}`,
      amounts: windows.map((window) => key[window]),
    }));
  const unknown = keys.length - known.length;
  const notes = html`<p class="more">
    <a href="/?sort=month">All ${counted(keys.length, "key")}</a
    >${unknown > 0 ? html`; the month of ${unknown} is unknown` : undefined}.
  </p>`;
  const table = {
    id: "largest",
    title: "Largest keys of the month",
    what: "Key",
    notes,
    isBound: () => false,
  };
  return rankingSection(table, rows, columns);
}
