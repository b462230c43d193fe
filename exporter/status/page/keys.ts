import { usedShare } from "../danger.ts";
import type { ListingRow } from "../account-overview.ts";
import type { Overview } from "../overview.ts";
import type { KeyRow } from "../target-rows.ts";
import { isFiltered, type View } from "../view.ts";
import { bar, creditText, credits, HIGH_SHARE, separated, UNKNOWN, usedText } from "./amount.ts";
import { layerText } from "./danger-text.ts";
import { foreign, type Html, html, keyLink } from "./html.ts";
import { leftSpark } from "./left.ts";
import { answerAge, keyMark } from "./marks.ts";
import { type Column, type Row, sheet } from "./table.ts";
import { ago, until } from "./time.ts";
import { pageLinks, teamAddress } from "./view-form.ts";

/** A longer page would be slow to load and hard to read. */
const KEYS_SHOWN = 100;

/** One page of the keys in the given order, each with state, limit and spend. */
export function keysSection(overview: Overview, view: View): Html {
  const { keys, account } = overview;
  if (keys.length === 0)
    return html`<p class="note">${isFiltered(view) ? "No key matches." : noKeys(account?.listings)}</p>`;
  const pages = Math.ceil(keys.length / KEYS_SHOWN);
  const first = (view.page - 1) * KEYS_SHOWN;
  const rows = keys.slice(first, first + KEYS_SHOWN).map((key) => keyRow(key, overview));
  return sheet({ id: "keys", title: "Keys" }, COLUMNS, rows, html`${pageLinks(pages, view)} ${UNKNOWN_NOTE}`);
}

function noKeys(lists: readonly ListingRow[] = []): string {
  if (lists.some(({ keys }) => keys === undefined)) return "Waiting for the list of keys.";
  return lists.length > 0 ? "The lists of the account have no keys." : "No keys are configured.";
}

const COLUMNS: readonly Column[] = [
  { title: "Key" },
  { title: "State" },
  { title: "Limit used", kind: "rare" },
  { title: "Left", kind: "number" },
  { title: "Resets", kind: "rare" },
  { title: "Today", kind: "number rare" },
  { title: "This week", kind: "number rare" },
  { title: "This month", kind: "number rare" },
  { title: "All time", kind: "number rare" },
];

/** What a dash means. */
export const UNKNOWN_NOTE = html`<p class="note">
  Amounts are credits. — means unknown: the gateway has not reported the value, or the last one is too old or
  belongs to a window that has ended. Days, weeks (from Monday) and months are UTC.
</p>`;

function keyRow(key: KeyRow, overview: Overview): Row {
  const { nowMs } = overview;
  const { limit, remaining, day, week, month, total, byok } = key;
  const around = layerText(key, nowMs);
  const layer = around && html`<small class="text">${around}</small>`;
  const mirrored = key.isLimitMirrored ? html`<small>limit of the configuration</small>` : undefined;
  const limitCells =
    limit === "unlimited"
      ? [layer ?? html`<span class="soft">unlimited</span>`, undefined, undefined]
      : [
          html`${usedCell(key, limit)}${mirrored}${layer}`,
          html`${credits(remaining)}${leftSpark(key, overview)}`,
          resetCell(key, nowMs),
        ];
  return {
    cells: [
      html`${keyLink(key.name)}${ownerLine(key)}${listLine(key)}`,
      html`${keyMark(key)}<small>${answerAge(key, nowMs)}${expiryLine(key, nowMs)}</small>`,
      ...limitCells,
      credits(day),
      credits(week),
      html`${credits(month)}${byokLine(byok?.month)}`,
      html`${credits(total)}${byokLine(byok?.total)}`,
    ],
  };
}

/** What was used through one's own provider keys, below the credits. */
export function byokLine(amount: number | undefined): Html | undefined {
  return amount ? html`<small>+ ${creditText(amount)} BYOK</small>` : undefined;
}

/** Whether the figures of the key are those of a list of the account. */
export function listLine({ isListed, isFromList }: KeyRow): Html | undefined {
  if (isListed === true) return html`<small>listed, not polled</small>`;
  return isFromList === true ? html`<small>figures of the account’s list</small>` : undefined;
}

/** Team, project and cost centre; undefined if none is set. */
export function ownerLine({ owner }: KeyRow): Html | undefined {
  const { team, project, costCenter } = owner;
  if (team + project + costCenter === "") return undefined;
  const parts = [
    team === "" ? undefined : html`<a href="${teamAddress(team)}">${foreign(team, 64)}</a>`,
    ...[project, costCenter].map((text) => (text === "" ? undefined : foreign(text, 64))),
  ];
  return html`<small>${separated(parts)}</small>`;
}

/** When the key expires, on a line of its own; undefined: never, or unknown. */
export function expiryLine({ expiryMs }: KeyRow, nowMs: number): Html | undefined {
  if (expiryMs === undefined) return undefined;
  return expiryMs <= nowMs
    ? html`<br />expired ${ago(expiryMs, nowMs)}`
    : html`<br />expires ${until(expiryMs, nowMs)}`;
}

/** The used part of a limit as a bar and in words. */
export function usedCell(key: KeyRow, limit: number | undefined): Html {
  if (limit === undefined) return UNKNOWN;
  const share = usedShare(key);
  if (key.remaining === undefined || share === undefined)
    return html`<small>${UNKNOWN} of ${creditText(limit)}</small>`;
  const isUsedUp = key.danger?.why === "used-up";
  const amounts = html`${creditText(limit - key.remaining)} of ${creditText(limit)}`;
  return usedBar(share, amounts, isUsedUp ? "used up" : usedText(share), isUsedUp);
}

/** A used share as a bar and in words. */
export function usedBar(share: number, amounts: Html, word: string, isFull: boolean): Html {
  const level = isFull ? "full" : share >= HIGH_SHARE ? "high" : "plain";
  return html`${bar(share, level)} <small class="of ${level}"><span>${amounts}</span> <b>${word}</b></small>`;
}

/** When the limit resets. */
export function resetCell({ reset, nextResetMs }: KeyRow, nowMs: number): Html {
  if (reset === undefined) return UNKNOWN;
  if (reset === "other")
    return html`<span title="The gateway reports a reset that the exporter does not know">other</span>`;
  return html`${reset}${nextResetMs === undefined ? undefined : html`<small>${until(nextResetMs, nowMs)}</small>`}`;
}
