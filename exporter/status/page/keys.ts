import type { KeyRow } from "../target-rows.ts";
import { bar, counted, creditText, credits, HIGH_SHARE, UNKNOWN, usedText } from "./amount.ts";
import { foreign, type Html, html, Later } from "./html.ts";
import { answerAge, stateMark } from "./marks.ts";
import { ago, until } from "./time.ts";

/** A longer page would be slow to load and hard to read. */
const KEYS_SHOWN = 500;

/** Each key with state, limit and spend: first the failing ones, then those used up, then those not polled yet. */
export function keysSection(keys: readonly KeyRow[], nowMs: number): Html {
  if (keys.length === 0) return html`<p class="note">No keys are configured.</p>`;
  const ordered = keys.toSorted((one, other) => rank(one) - rank(other));
  const hidden = ordered.slice(KEYS_SHOWN);
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
          ${ordered.slice(0, KEYS_SHOWN).map((key) => new Later(() => keyRow(key, nowMs)))}
        </tbody>
      </table>
    </div>
    ${hidden.length > 0 ? moreKeys(hidden) : undefined}
    <p class="note">
      Amounts are credits. — means unknown: the gateway has not reported the value, or the last one is too old
      or belongs to a window that has ended. Days, weeks (from Monday) and months are UTC.
    </p>
  </section>`;
}

/** The used share of a key's limit; undefined if the key has no limit or the share is unknown. */
export function usedShare({ limit, remaining }: KeyRow): number | undefined {
  if (typeof limit !== "number" || remaining === undefined) return undefined;
  if (remaining <= 0) return limit > 0 ? Math.max(1, (limit - remaining) / limit) : 1;
  return limit > 0 ? (limit - remaining) / limit : undefined;
}

/** Nothing is left of the limit. */
export function isUsedUp(key: KeyRow): boolean {
  return typeof key.limit === "number" && key.remaining !== undefined && key.remaining <= 0;
}

function rank(key: KeyRow): number {
  if (key.state === "down") return 0;
  if (isUsedUp(key)) return 1;
  return key.state === "waiting" ? 2 : 3;
}

function moreKeys(hidden: readonly KeyRow[]): Html {
  const failing = hidden.filter((key) => key.state === "down").length;
  const rest =
    failing === 0 ? "none of them failing" : `${counted(failing, "of them is", "of them are")} failing`;
  return html`<p class="more">
    … and ${counted(hidden.length, "more key")}, ${rest}. All are in the metrics.
  </p>`;
}

function keyRow(key: KeyRow, nowMs: number): Html {
  return html`<tr class="${key.state}">
    <th scope="row">${foreign(key.name)}${ownerLine(key)}</th>
    <td>${stateMark(key)}<small>${stateLine(key, nowMs)}</small></td>
    ${limitCells(key, nowMs)}
    <td class="number">${credits(key.day)}</td>
    <td class="number">${credits(key.week)}</td>
    <td class="number">${credits(key.month)}</td>
    <td class="number">${credits(key.total)}</td>
  </tr>`;
}

function ownerLine({ owner }: KeyRow): Html | undefined {
  const set = [owner.team, owner.project, owner.costCenter].filter((text) => text !== "");
  if (set.length === 0) return undefined;
  const parts = set.map((text, index) => html`${index === 0 ? "" : " · "}${foreign(text, 64)}`);
  return html`<small>${parts}</small>`;
}

function stateLine(key: KeyRow, nowMs: number): Html {
  return html`${answerAge(key, nowMs)}${key.expiryMs === undefined ? undefined : expiry(key.expiryMs, nowMs)}`;
}

function expiry(expiryMs: number, nowMs: number): Html {
  return expiryMs <= nowMs
    ? html`<br />expired ${ago(expiryMs, nowMs)}`
    : html`<br />expires ${until(expiryMs, nowMs)}`;
}

function limitCells(key: KeyRow, nowMs: number): Html {
  if (key.limit === "unlimited") return html`<td colspan="3" class="soft">unlimited</td>`;
  return html`<td>${usedCell(key, key.limit)}</td>
    <td class="number">${credits(key.remaining)}</td>
    <td class="reset">${resetCell(key, nowMs)}</td>`;
}

function usedCell(key: KeyRow, limit: number | undefined): Html {
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

function resetCell({ reset, nextResetMs }: KeyRow, nowMs: number): Html {
  if (reset === undefined) return UNKNOWN;
  if (reset === "never") return html`never`;
  if (reset === "other")
    return html`<span title="The gateway reports a reset that the exporter does not know">other</span>`;
  return html`${reset}${nextResetMs === undefined ? undefined : html`<small>${until(nextResetMs, nowMs)}</small>`}`;
}
