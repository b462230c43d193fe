import type { ProbeRow, ProbesOverview } from "../probes-overview.ts";
import { bar, creditText, HIGH_SHARE, UNKNOWN, usedText } from "./amount.ts";
import { foreign, type Html, html } from "./html.ts";
import { stateMark } from "./marks.ts";
import { type Column, type Row, sheet } from "./table.ts";
import { ago } from "./time.ts";

/** The last run of each probe, and their total spend. Empty if no probes are configured. */
export function probesSection(probes: ProbesOverview | undefined, nowMs: number): Html {
  if (!probes) return html``;
  const rows = probes.rows.map((row) => probeRow(row, nowMs));
  return sheet({ id: "probes", title: "Probes" }, COLUMNS, rows, spendText(probes));
}

const COLUMNS: readonly Column[] = [
  { title: "Probe" },
  { title: "State", kind: "text" },
  { title: "Word errors", kind: "number" },
  { title: "Duration", kind: "number rare" },
  { title: "Cost", kind: "number rare" },
  { title: "Last run", kind: "rare" },
];

function probeRow(row: ProbeRow, nowMs: number): Row {
  const { name, model, key, failure, cost, lastRunMs, skip } = row;
  const why =
    row.state === "down" && failure ? html`<small>${foreign(failure.message, 200)}</small>` : undefined;
  return {
    cells: [
      html`${foreign(name)}<small>${foreign(model, 64)}, key ${foreign(key, 64)}</small>`,
      html`${stateMark(row)}${why}${skip === undefined ? undefined : html`<small>${SKIPS.get(skip) ?? skip}</small>`}`,
      errorText(row),
      durationText(row),
      cost === undefined ? UNKNOWN : cost.toFixed(4),
      lastRunMs === undefined ? "not run yet" : ago(lastRunMs, nowMs),
    ],
  };
}

const SKIPS: ReadonlyMap<string, string> = new Map([
  ["spend_limit", "not run: the daily ceiling is reached"],
  ["paused", "not run: the gateway asked the exporter to wait"],
  ["running", "not run: the previous run is still in progress"],
]);

function errorText({ wordErrorRate, wordErrorLimit }: ProbeRow): Html {
  if (wordErrorRate === undefined) return UNKNOWN;
  return html`${percent(wordErrorRate)}<small>at most ${percent(wordErrorLimit)}</small>`;
}

function percent(rate: number): string {
  return `${(rate * 100).toFixed(rate > 0 && rate < 0.1 ? 1 : 0)}%`;
}

function durationText({ durationSeconds, speedFactor }: ProbeRow): Html {
  if (durationSeconds === undefined) return UNKNOWN;
  const speed =
    speedFactor === undefined ? undefined : html`<small>${speedFactor.toFixed(1)}× real time</small>`;
  return html`${durationSeconds.toFixed(2)} s${speed}`;
}

function spendText({ spentToday, ceiling }: ProbesOverview): Html {
  const share = spentToday / ceiling;
  return html`<p class="note">
    ${bar(share, share >= HIGH_SHARE ? "high" : "plain")} ${creditText(spentToday)} of ${creditText(ceiling)}
    credits are spent or reserved today, <b>${usedText(share)}</b>.
  </p>`;
}
