import { keyCourse } from "../history.ts";
import type { ListingRow } from "../account-overview.ts";
import type { Overview } from "../overview.ts";
import type { KeyLayer } from "../../readings/reading.ts";
import type { KeyRow } from "../target-rows.ts";
import { isFiltered, type View } from "../view.ts";
import { bar, creditText, credits, HIGH_SHARE, isAtLeast, separated, UNKNOWN, usedText } from "./amount.ts";
import { foreign, type Html, html, keyLink } from "./html.ts";
import { todaySpark } from "./history.ts";
import { leftSpark } from "./left.ts";
import { answerAge, mark, stateMark } from "./marks.ts";
import { type Column, type Row, sheet } from "./table.ts";
import { ago, until } from "./time.ts";
import { pageLinks, teamAddress } from "./view-form.ts";

/** A longer page would be slow to load and hard to read. */
const KEYS_SHOWN = 100;

/** One page of the keys in the given order, each with state, limit and spend. */
export function keysSection({ keys, nowMs, history, account }: Overview, view: View): Html {
  if (keys.length === 0)
    return html`<p class="note">${isFiltered(view) ? "No key matches." : noKeys(account?.listings)}</p>`;
  const pages = Math.ceil(keys.length / KEYS_SHOWN);
  const first = (view.page - 1) * KEYS_SHOWN;
  const rows = keys.slice(first, first + KEYS_SHOWN).map((key) => keyRow(key, { history, nowMs }));
  return sheet({ id: "keys", title: "Keys" }, COLUMNS, rows, html`${pageLinks(pages, view)} ${UNKNOWN_NOTE}`);
}

function noKeys(lists: readonly ListingRow[] = []): string {
  if (lists.some(({ keys }) => keys === undefined)) return "Waiting for the list of keys.";
  return lists.length > 0 ? "The lists of the account have no keys." : "No keys are configured.";
}

const COLUMNS: readonly Column[] = [
  { title: "Key" },
  { title: "State", kind: "full", label: "none" },
  { title: "Limit used", kind: "full" },
  { title: "Left", kind: "number" },
  { title: "Resets", kind: "reset" },
  { title: "Today", kind: "number" },
  { title: "This week", kind: "number" },
  { title: "This month", kind: "number" },
  { title: "All time", kind: "number" },
];

/** What a dash means. */
export const UNKNOWN_NOTE = html`<p class="note">
  Amounts are credits. — means unknown: the gateway has not reported the value, or the last one is too old or
  belongs to a window that has ended. Days, weeks (from Monday) and months are UTC.
</p>`;

/** The used share of a key's limit; undefined if the key has no limit or the share is unknown. */
export function usedShare({ limit, remaining }: KeyRow): number | undefined {
  if (typeof limit !== "number" || remaining === undefined) return undefined;
  return limit > 0 ? (limit - remaining) / limit : remaining > 0 ? undefined : 1;
}

/** Nothing is left of the limit, or so little that no call succeeds. */
export function isUsedUp(key: KeyRow): boolean {
  const isEmpty = typeof key.limit === "number" && key.remaining !== undefined && key.remaining <= 0;
  const { outlook, isShared } = key.forecast ?? {};
  const isSpent = isEmpty || isBlocked(key) || (outlook === "exhausted" && !isShared);
  return isSpent && key.isDisabled !== true;
}

/** Whether a budget around the key refuses its calls. */
function isBlocked(key: KeyRow): boolean {
  return (nearestLayer(key)?.remainingCredits ?? 1) <= 0;
}

/** The budget around the key that leaves the least, if it leaves less than the key's own limit. */
export function nearestLayer({ layers = [], remaining = Infinity }: KeyRow): KeyLayer | undefined {
  const [nearest] = layers.toSorted((one, other) => leftOf(one) - leftOf(other));
  return nearest && leftOf(nearest) < remaining ? nearest : undefined;
}

function leftOf({ remainingCredits = Infinity }: KeyLayer): number {
  return remainingCredits;
}

/** What the budget around a key leaves, and until when; undefined: its own limit is the nearest. */
export function layerLine(key: KeyRow, nowMs: number): Html | undefined {
  const layer = nearestLayer(key);
  if (!layer) return undefined;
  const { source, remainingCredits = 0, limitCredits, nextResetMs } = layer;
  const of = limitCredits === undefined ? undefined : html` of ${creditText(limitCredits)}`;
  const left = remainingCredits <= 0 ? "nothing" : creditText(remainingCredits);
  const resets = nextResetMs === undefined ? undefined : html`, resets ${until(nextResetMs, nowMs)}`;
  return html`<small>budget <code>${foreign(source, 64)}</code>: ${left}${of} left${resets}</small>`;
}

/** A key with at most this share of its limit left is listed under *Needs attention*. */
const SCARCE_SHARE = 0.03;

/** Something is left, but so little that the key needs attention. */
export function isScarce(key: KeyRow): boolean {
  return isUsedTo(key, 1 - SCARCE_SHARE);
}

/** Something is left, but no more than a tenth. */
export function isLow(key: KeyRow): boolean {
  return isUsedTo(key, HIGH_SHARE);
}

/** A disabled key cannot spend what is left. */
function isUsedTo(key: KeyRow, least: number): boolean {
  return isAtLeast(usedShare(key) ?? 0, least) && !isUsedUp(key) && key.isDisabled !== true;
}

function keyRow(key: KeyRow, { history, nowMs }: Pick<Overview, "history" | "nowMs">): Row {
  const { day, week, month, total } = key;
  return {
    cells: [
      html`${keyLink(key.name)}${ownerLine(key)}${listLine(key)}`,
      html`${keyMark(key)}<small>${answerAge(key, nowMs)}${expiryLine(key, nowMs)}</small>`,
      ...limitCells(key, history, nowMs),
      html`${credits(day)}${history && todaySpark(keyCourse(history, "hour", key.name), nowMs)}`,
      credits(week),
      html`${credits(month)}${byokLine(key.byok?.month)}`,
      html`${credits(total)}${byokLine(key.byok?.total)}`,
    ],
  };
}

/** What was used through one's own provider keys, below the credits. */
function byokLine(amount: number | undefined): Html | undefined {
  return amount ? html`<small>+ ${creditText(amount)} BYOK</small>` : undefined;
}

/** Whether the figures of the key are those of a list of the account. */
function listLine({ isListed, isFromList }: KeyRow): Html | undefined {
  if (isListed === true) return html`<small>listed, not polled</small>`;
  return isFromList === true ? html`<small>figures of the account’s list</small>` : undefined;
}

/** The state of a key: disabled, only listed, or the outcome of its polls. */
export function keyMark(key: KeyRow): Html {
  if (key.isDisabled === true) return mark("waiting", "○", "Disabled");
  return key.isListed === true && key.state === "up" ? mark("up", "●", "Listed") : stateMark(key);
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

function limitCells(key: KeyRow, history: Overview["history"], nowMs: number): Row["cells"] {
  const layer = layerLine(key, nowMs);
  if (key.limit === "unlimited")
    return [layer ?? html`<span class="soft">unlimited</span>`, undefined, undefined];
  const mirrored = key.isLimitMirrored ? html`<small>limit of the configuration</small>` : undefined;
  return [
    html`${usedCell(key, key.limit)}${mirrored}${layer}`,
    html`${credits(key.remaining)}${history && leftSpark(key, history, nowMs)}`,
    resetCell(key, nowMs),
  ];
}

/** The used part of a limit as a bar and in words. */
export function usedCell(key: KeyRow, limit: number | undefined): Html {
  if (limit === undefined) return UNKNOWN;
  const share = usedShare(key);
  if (key.remaining === undefined || share === undefined) {
    return html`<small>${UNKNOWN} of ${creditText(limit)}</small>`;
  }
  const level = isUsedUp(key) ? "full" : share >= HIGH_SHARE ? "high" : "plain";
  const word = level === "full" ? "used up" : usedText(share);
  const amounts = `${creditText(limit - key.remaining)} of ${creditText(limit)}`;
  return html`${bar(share, level)} <small class="of ${level}"><span>${amounts}</span> <b>${word}</b></small>`;
}

/** When the limit resets. */
export function resetCell({ reset, nextResetMs }: KeyRow, nowMs: number): Html {
  if (reset === undefined) return UNKNOWN;
  if (reset === "never") return html`never`;
  if (reset === "other")
    return html`<span title="The gateway reports a reset that the exporter does not know">other</span>`;
  return html`${reset}${nextResetMs === undefined ? undefined : html`<small>${until(nextResetMs, nowMs)}</small>`}`;
}
