import type { Overview } from "../overview.ts";
import type { UnwatchedRow } from "../target-rows.ts";
import { ACCOUNT_PATH } from "../view.ts";
import { counted, credits, price, tile } from "./amount.ts";
import { NO_ACCOUNT } from "./axis-page.ts";
import { budgetsSection } from "./budgets.ts";
import { balanceText } from "./danger-text.ts";
import { historySection } from "./history.ts";
import { type Html, html, keyLink, namesText } from "./html.ts";
import { ownerLine } from "./keys.ts";
import { layout, type Written } from "./layout.ts";
import { rankingSection } from "./ranking.ts";
import { card } from "./table.ts";
import { windowTiles } from "./windows.ts";

/** What the management key shows of the whole account, and which keys spend the most. */
export function renderAccountPage(overview: Overview, telemetryPath: string): Written {
  const { account, unwatched } = overview;
  const budgets = overview.budgets.filter(({ scope }) => scope.kind === "account");
  const sections = account
    ? [
        balanceTiles(overview),
        windowTiles(overview),
        historySection(overview, "key"),
        budgetsSection(budgets, overview),
        unwatchedSection(unwatched),
        largestKeys(overview),
      ]
    : [NO_ACCOUNT, budgetsSection(budgets, overview)];
  const about = { path: ACCOUNT_PATH, title: "Account – AI gateway exporter", heading: "Account" };
  return layout({ ...about, sections }, overview, telemetryPath);
}

function balanceTiles({ account, creditValue, nowMs }: Overview): Html {
  if (!account) return html``;
  const { balance, bought, used } = account.balance;
  const priced = (amount: number | undefined, sinceMs: number) => price(amount, creditValue, sinceMs);
  const notes = [priced(balance, nowMs), balanceText(account.balance, nowMs)].filter((note) => note);
  return html`<dl class="summary">
    ${tile("Balance", credits(balance), html`${notes.map((note) => html`${note}<br />`)}`)}
    ${tile("Bought in all", credits(bought), priced(bought, 0))}
    ${tile("Used in all", credits(used), priced(used, 0))}
  </dl>`;
}

/** The spend of keys that are not watched. */
function unwatchedSection(row: UnwatchedRow | undefined): Html {
  if (!row) return html``;
  return card(
    { id: "unwatched", title: "Unwatched spend" },
    html`<p>Today ${credits(row.day)}, this month ${credits(row.month)} credits</p>
      <p class="note">${unwatchedNote(row)}</p>`,
  );
}

function unwatchedNote({ day, month, unresolvedKeys = 0, unresolvedNames = [] }: UnwatchedRow): Html {
  if (unresolvedKeys > 0) {
    const names =
      unresolvedNames.length > 0 ? html`. Configured: ${namesText(unresolvedNames, NAMES_SHOWN)}` : undefined;
    return html`Unknown: the gateway does not know ${counted(unresolvedKeys, "watched key")} by hash, or their
    secrets could not be read, so their spend would count as unwatched${names}`;
  }
  if (day === undefined && month === undefined)
    return html`Unknown: there is no answer yet, the gateway cannot exclude that many keys, or identifies keys
    by other hashes, or its figures may be incomplete or contain use of your own provider keys (BYOK).`;
  return html`What keys spend that are neither configured nor listed, deleted keys and use without a key
  included.`;
}

const NAMES_SHOWN = 5;

const KEYS_SHOWN = 20;

/** The keys that spent the most this month, with their share of the account. */
function largestKeys({ keys, queries }: Overview): Html {
  const known = keys.filter(({ month }) => month !== undefined);
  if (known.length === 0) return html``;
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
  const table = { id: "largest", title: "Largest keys of the month", what: "Key", notes };
  return rankingSection({ ...table, isBound: () => false }, rows, columns);
}
