import type { UnwatchedRow } from "../unwatched-row.ts";
import { counted, credits } from "./amount.ts";
import { foreign, type Html, html } from "./html.ts";

/** What keys spend that nobody watches. */
export function unwatchedSection(row: UnwatchedRow | undefined): Html {
  if (!row) return html``;
  return html`<section class="card" aria-labelledby="unwatched">
    <h2 id="unwatched">Unwatched spend</h2>
    <p>Today ${credits(row.day)}, this month ${credits(row.month)} credits</p>
    <p class="note">${noteOf(row)}</p>
  </section>`;
}

function noteOf({ day, month, unresolvedKeys, unresolvedNames }: UnwatchedRow): Html {
  if (unresolvedKeys > 0) {
    return html`Unknown: the gateway does not know ${counted(unresolvedKeys, "watched key")} by hash, or their
    secrets could not be read, so their spend would count as unwatched${namesOf(unresolvedNames)}`;
  }
  if (day === undefined && month === undefined)
    return html`Unknown: there is no answer yet, or the figures of the gateway may be incomplete or contain
    use of your own provider keys (BYOK).`;
  return html`What keys spend that are neither configured nor listed, deleted keys and use without a key
  included.`;
}

const NAMES_SHOWN = 5;

function namesOf(names: readonly string[]): Html | undefined {
  if (names.length === 0) return undefined;
  const shown = names
    .slice(0, NAMES_SHOWN)
    .map((name, index) => html`${index === 0 ? "" : ", "}${foreign(name, 64)}`);
  const more = names.length - shown.length;
  return html`. Configured: ${shown}${more > 0 ? ` and ${more} more` : ""}`;
}
