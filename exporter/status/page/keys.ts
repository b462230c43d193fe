import type { Overview } from "../overview.ts";
import type { KeyRow } from "../target-rows.ts";
import { isFiltered, keyAddress, type View } from "../view.ts";
import { bar, counted, creditText, credits, HIGH_SHARE, isAtLeast, UNKNOWN, usedText } from "./amount.ts";
import { type Course, dayChart, leftChart, spark } from "./chart.ts";
import { foreign, type Html, html, Later } from "./html.ts";
import { answerAge, mark, stateMark } from "./marks.ts";
import { ago, until } from "./time.ts";
import { pageLinks, teamAddress } from "./view-form.ts";

/** A longer page would be slow to load and hard to read. */
const KEYS_SHOWN = 100;

/** One page of the keys in the given order, each with state, limit and spend. */
export function keysSection({ keys, nowMs, history }: Overview, view: View): Html {
  if (keys.length === 0)
    return html`<p class="note">${isFiltered(view) ? "No key matches." : "No keys are configured."}</p>`;
  const pages = Math.ceil(keys.length / KEYS_SHOWN);
  const first = (view.page - 1) * KEYS_SHOWN;
  return html`<section class="card wide">
    <div class="scroll" role="region" aria-labelledby="keys" tabindex="0">
      <table class="sheet">
        <caption>
          <h2 id="keys">Keys</h2>
        </caption>
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col">State</th>
            <th scope="col">Limit used</th>
            <th scope="col" class="number">Left</th>
            <th scope="col" class="reset">Resets</th>
            <th scope="col" class="number">Today</th>
            <th scope="col" class="number">This week</th>
            <th scope="col" class="number">This month</th>
            <th scope="col" class="number">All time</th>
          </tr>
        </thead>
        <tbody>
          ${keys.slice(first, first + KEYS_SHOWN).map((key) => new Later(() => keyRow(key, { history, nowMs })))}
        </tbody>
      </table>
    </div>
    ${moreKeys(keys.slice(first + KEYS_SHOWN))} ${pageLinks(pages, view)}
    <p class="note">
      Amounts are credits. — means unknown: the gateway has not reported the value, or the last one is too old
      or belongs to a window that has ended. Days, weeks (from Monday) and months are UTC.
    </p>
  </section>`;
}

/** The name of a key as a link to its page. */
export function keyLink(name: string): Html {
  return html`<a href="${keyAddress(name)}">${foreign(name)}</a>`;
}

/** The used share of a key's limit; undefined if the key has no limit or the share is unknown. */
export function usedShare({ limit, remaining }: KeyRow): number | undefined {
  if (typeof limit !== "number" || remaining === undefined) return undefined;
  if (remaining <= 0) return limit > 0 ? Math.max(1, (limit - remaining) / limit) : 1;
  return limit > 0 ? (limit - remaining) / limit : undefined;
}

/** Nothing is left of the limit. */
export function isUsedUp(key: KeyRow): boolean {
  const isSpent = typeof key.limit === "number" && key.remaining !== undefined && key.remaining <= 0;
  return isSpent && key.isDisabled !== true;
}

/** A key with at most this share of its limit left is listed under *Needs attention*. */
const SCARCE_SHARE = 0.03;

/** Something is left, but so little that the key needs attention. A disabled key cannot spend it. */
export function isScarce(key: KeyRow): boolean {
  const share = usedShare(key);
  return (
    share !== undefined && isAtLeast(share, 1 - SCARCE_SHARE) && !isUsedUp(key) && key.isDisabled !== true
  );
}

function moreKeys(hidden: readonly KeyRow[]): Html {
  if (hidden.length === 0) return html``;
  const failing = hidden.filter((key) => key.state === "down").length;
  const rest =
    failing === 0 ? "none of them failing" : `${counted(failing, "of them is", "of them are")} failing`;
  return html`<p class="more">… and ${counted(hidden.length, "more key")}, ${rest}.</p>`;
}

function keyRow(key: KeyRow, course: Course): Html {
  const { nowMs } = course;
  return html`<tr class="${key.state}">
    <th scope="row">${keyLink(key.name)}${ownerLine(key)}${listLine(key)}</th>
    <td class="full">${keyMark(key)}<small>${stateLine(key, nowMs)}</small></td>
    ${limitCells(key, course)}
    <td class="number" data-label="Today">
      ${credits(key.day)}${spark(dayChart(key, course), "Course of today")}
    </td>
    <td class="number" data-label="This week">${credits(key.week)}</td>
    <td class="number" data-label="This month">${credits(key.month)}</td>
    <td class="number" data-label="All time">${credits(key.total)}</td>
  </tr>`;
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
  const linked = html`<a href="${teamAddress(team)}">${foreign(team, 64)}</a>`;
  const set = [
    ...(team === "" ? [] : [linked]),
    ...[project, costCenter].filter((text) => text !== "").map((text) => foreign(text, 64)),
  ];
  if (set.length === 0) return undefined;
  const parts = set.map((text, index) => html`${index === 0 ? "" : " · "}${text}`);
  return html`<small>${parts}</small>`;
}

function stateLine(key: KeyRow, nowMs: number): Html {
  return html`${answerAge(key, nowMs)}${expiryLine(key, nowMs)}`;
}

/** When the key expires, on a line of its own; undefined: never, or unknown. */
export function expiryLine({ expiryMs }: KeyRow, nowMs: number): Html | undefined {
  if (expiryMs === undefined) return undefined;
  return expiryMs <= nowMs
    ? html`<br />expired ${ago(expiryMs, nowMs)}`
    : html`<br />expires ${until(expiryMs, nowMs)}`;
}

function limitCells(key: KeyRow, course: Course): Html {
  if (key.limit === "unlimited")
    return html`<td colspan="3" class="soft full" data-label="Limit">unlimited</td>`;
  const mirrored = key.isLimitMirrored ? html`<small>limit of the configuration</small>` : undefined;
  return html`<td class="full" data-label="Limit used">${usedCell(key, key.limit)}${mirrored}</td>
    <td class="number" data-label="Left">
      ${credits(key.remaining)}${spark(leftChart(key, course), "Course and estimate to the reset")}
    </td>
    <td class="reset" data-label="Resets">${resetCell(key, course.nowMs)}</td>`;
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
