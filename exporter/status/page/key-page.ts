import { forecastOf } from "../forecast.ts";
import type { Overview } from "../overview.ts";
import type { KeyRow } from "../target-rows.ts";
import { keyAddress } from "../view.ts";
import { creditText, credits, usedText } from "./amount.ts";
import { budgetsSection } from "./budgets.ts";
import { type Chart, dayChart, leftChart, picture } from "./chart.ts";
import { foreign, type Html, html } from "./html.ts";
import { keyModelsSection } from "./key-models.ts";
import {
  expiryLine,
  isScarce,
  isUsedUp,
  keyMark,
  ownerLine,
  resetCell,
  usedCell,
  usedShare,
} from "./keys.ts";
import { layout } from "./layout.ts";
import { answerAge, mark } from "./marks.ts";
import { axisTime, until, utcText } from "./time.ts";

/** Everything that is known about one key; undefined: there is no key of this name. */
export function renderKeyPage(overview: Overview, telemetryPath: string, name: string): Html | undefined {
  const key = overview.keys.find((row) => row.name === name);
  if (!key) return undefined;
  const { nowMs, keys } = overview;
  const budgets = overview.budgets.filter(({ scope }) => scope.kind === "keys" && scope.names.includes(name));
  const configured = keys.filter(({ isListed }) => isListed !== true).length;
  return layout(
    {
      path: "/",
      title: `${name} – AI gateway exporter`,
      heading: html`Key ${foreign(name)}`,
      about: ownerLine(key),
      links: html`<a href="${keyAddress(name)}">Refresh</a> <a href="/#keys">All keys</a>`,
      sections: [
        () => stateCard(key, nowMs),
        () => figures(key, overview),
        () => courses(key, overview),
        () => keyModelsSection(overview.keyModels?.of(key) ?? [], nowMs),
        () => budgetsSection(budgets, configured, nowMs),
        () => NOTE,
      ],
    },
    overview,
    telemetryPath,
  );
}

/** The page in place of that of a key that does not exist. */
export function renderMissingKey(overview: Overview, telemetryPath: string, name: string): Html {
  const shard = overview.shard && html`This process polls only part of the keys. `;
  const note = html`<section class="card">
    <p>No key is named ${foreign(name)}. ${shard}A key that was removed has no page.</p>
    <p><a href="/#keys">All keys</a></p>
  </section>`;
  return layout(
    {
      path: "/",
      title: "No such key – AI gateway exporter",
      heading: html`No such key`,
      links: html`<a href="/">All keys</a>`,
      sections: [() => note],
    },
    overview,
    telemetryPath,
  );
}

const NOTE = html`<p class="note">
  Amounts are credits. — means unknown: the gateway has not reported the value, or the last one is too old or
  belongs to a window that has ended. Days, weeks (from Monday) and months are UTC.
</p>`;

/** The state of the polls, what needs attention, and what the last failure was. */
function stateCard(key: KeyRow, nowMs: number): Html {
  const { failure, warning, state } = key;
  const why = state === "down" ? failure?.message : undefined;
  return html`<section class="card" aria-labelledby="state">
    <h2 id="state">State</h2>
    <p>${keyMark(key)} <small class="inline">${answerAge(key, nowMs)}${expiryLine(key, nowMs)}</small></p>
    ${why === undefined ? undefined : html`<p class="message">${foreign(why, 400)}</p>`}
    ${warning === undefined ? undefined : html`<p class="message">${foreign(warning, 400)}</p>`}
    ${listNote(key)}
    <p>${verdict(key, nowMs)}</p>
  </section>`;
}

function listNote({ isListed, isFromList }: KeyRow): Html | undefined {
  if (isListed === true) return html`<p class="note">The key is listed by the account, but not polled.</p>`;
  if (isFromList !== true) return undefined;
  return html`<p class="note">
    Its polls have no current answer: limit and spend are those of the account’s list of keys.
  </p>`;
}

/** Whether the limit lasts, in a sentence. */
function verdict(key: KeyRow, nowMs: number): Html {
  const { limit, remaining, nextResetMs, reset } = key;
  if (limit === "unlimited") return html`The key has no limit.`;
  if (limit === undefined) return html`Whether the key has a limit is not known.`;
  if (remaining === undefined) return html`What is left of the limit is not known.`;
  const resets = nextResetMs === undefined ? RESETS.get(reset) : html`it resets ${until(nextResetMs, nowMs)}`;
  const rest = resets === undefined ? html`its reset is not known` : html`${resets}`;
  if (isUsedUp(key))
    return html`${mark("down", "▲", "Used up")} Nothing is left of ${creditText(limit)} credits; ${rest}.`;
  const scarce = isScarce(key)
    ? html`${mark("high", "◆", "Nearly used up")} ${usedText(usedShare(key) ?? 0)} of the limit is used. `
    : undefined;
  return html`${scarce}${outlook(key, nowMs)}`;
}

const RESETS: ReadonlyMap<KeyRow["reset"], string> = new Map([["never", "it never resets"]]);

/** An estimate of how long the limit lasts. */
function outlook(key: KeyRow, nowMs: number): Html {
  const forecast = forecastOf(key, nowMs);
  if (!forecast) return html`Nothing is spent at present, as far as is known.`;
  const { perHour, exhaustedMs, leftAtReset } = forecast;
  const rate = html`at ${creditText(perHour)} credits an hour, the highest mean rate of its current windows`;
  if (leftAtReset !== undefined)
    return html`Estimate: ${creditText(leftAtReset)} credits will be left at the reset, ${rate}.`;
  const early = key.nextResetMs === undefined ? undefined : html`, before its reset`;
  const alarm = early && mark("high", "▲", "Out before its reset");
  return html`${alarm} Estimate: used up ${until(exhaustedMs, nowMs)}${early}, ${rate}.`;
}

/** Pictures of the day's spend and of what is left. */
function courses(key: KeyRow, overview: Overview): Html {
  const { history, nowMs } = overview;
  const [day, left] = [dayChart(key, overview), leftChart(key, overview)];
  const since = history?.sinceMs;
  const begins = "It is kept in memory and begins when the exporter starts.";
  if (since === undefined || (!day && !left))
    return html`<p class="note">The course of the key is not known yet. ${begins}</p>`;
  return html`<div class="windows">
      ${day && course("day", "Spend of today", amountText(key.day, nowMs), day)}
      ${left && course("left", "Left of the limit", `${amountText(key.remaining, nowMs)} ${leftText(left)}`, left)}
    </div>
    <p class="note">
      Recorded since ${utcText(since)}, at most about a day. ${begins} Gaps: unknown. Dashed: the estimate.
      Dotted: not watched, a straight line from the start of the window, when nothing of it was spent.
    </p>`;
}

function amountText(amount: number | undefined, nowMs: number): string {
  return `${amount === undefined ? "An unknown amount" : `${creditText(amount)} credits`} at ${utcText(nowMs)}.`;
}

function leftText({ forecast, isEarly }: Chart): string {
  if (forecast === "") return "Without an estimate.";
  return isEarly ? "By the estimate, nothing is left before the reset." : "The estimate follows.";
}

function course(id: string, title: string, description: string, chart: Chart): Html {
  return html`<section class="card" aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${picture(chart, id, title, description)}
    <p class="axis"><small>${axisTime(chart.startMs)}</small> <small>${axisTime(chart.endMs)}</small></p>
  </section>`;
}

function figures(key: KeyRow, { nowMs, creditValue }: Overview): Html {
  const price = (amount: number | undefined) =>
    creditValue && amount !== undefined
      ? html`<small>${creditText(amount * creditValue.value)} ${creditValue.currency}</small>`
      : undefined;
  const spent = (title: string, amount: number | undefined) =>
    html`<div class="card">
      <dt>${title}</dt>
      <dd>${credits(amount)}${price(amount)}</dd>
    </div>`;
  const limit =
    key.limit === "unlimited"
      ? html`<div class="card">
          <dt>Limit</dt>
          <dd class="soft">unlimited</dd>
        </div>`
      : html`<div class="card">
            <dt>Limit used</dt>
            <dd class="bars">${usedCell(key, key.limit)}</dd>
          </div>
          <div class="card">
            <dt>Left</dt>
            <dd>${credits(key.remaining)}</dd>
          </div>
          <div class="card">
            <dt>Resets</dt>
            <dd>${resetCell(key, nowMs)}</dd>
          </div>`;
  return html`<dl class="summary">${limit}</dl>
    <dl class="summary">
      ${spent("Today", key.day)} ${spent("This week", key.week)} ${spent("This month", key.month)}
      ${spent("All time", key.total)}
    </dl>`;
}
