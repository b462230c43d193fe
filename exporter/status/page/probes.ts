import type { ProbeRow, ProbesOverview } from "../probes-overview.ts";
import { bar, credits, creditText, HIGH_SHARE, UNKNOWN, usedText } from "./amount.ts";
import { foreign, type Html, html, Later } from "./html.ts";
import { stateMark } from "./marks.ts";
import { ago } from "./time.ts";

/** The last run of each probe, and their total spend. Empty if no probes are configured. */
export function probesSection(probes: ProbesOverview | undefined, nowMs: number): Html {
  if (!probes) return html``;
  return html`<section class="card wide">
    <div class="scroll" role="region" aria-labelledby="probes" tabindex="0">
      <table class="sheet">
        <caption>
          <h2 id="probes">Probes</h2>
        </caption>
        <thead>
          <tr>
            <th scope="col">Probe</th>
            <th scope="col">State</th>
            <th scope="col" class="number">Word errors</th>
            <th scope="col" class="number">Duration</th>
            <th scope="col" class="number">Cost</th>
            <th scope="col" class="reset">Last run</th>
          </tr>
        </thead>
        <tbody>
          ${probes.rows.map((row) => new Later(() => probeRow(row, nowMs)))}
        </tbody>
      </table>
    </div>
    ${spendText(probes)}
  </section>`;
}

function probeRow(row: ProbeRow, nowMs: number): Html {
  const { name, model, key, failure, cost, lastRunMs } = row;
  return html`<tr>
    <th scope="row">${foreign(name)}<small>${foreign(model, 64)}, key ${foreign(key, 64)}</small></th>
    <td class="why full">
      ${stateMark(row)}${row.state === "down" && failure ? html`<small>${foreign(failure.message, 200)}</small>` : undefined}
      ${row.skip === undefined ? undefined : html`<small>${SKIPS.get(row.skip) ?? row.skip}</small>`}
    </td>
    <td class="number" data-label="Word errors">${errorText(row)}</td>
    <td class="number" data-label="Duration">${durationText(row)}</td>
    <td class="number" data-label="Cost">${credits(cost)}</td>
    <td class="reset" data-label="Last run">
      ${lastRunMs === undefined ? "not run yet" : ago(lastRunMs, nowMs)}
    </td>
  </tr>`;
}

const SKIPS: ReadonlyMap<string, string> = new Map([
  ["spend_limit", "not run: the daily ceiling is reached"],
  ["spend_unknown", "waiting until today’s spend is known"],
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
  if (spentToday === undefined) {
    return html`<p class="note">
      No probe runs until today’s spend of the probes’ keys is known. The ceiling is ${creditText(ceiling)}
      credits.
    </p>`;
  }
  const share = spentToday / ceiling;
  return html`<p class="note">
    ${bar(share, share >= HIGH_SHARE ? "high" : "plain")} ${creditText(spentToday)} of ${creditText(ceiling)}
    credits are spent or reserved today, <b>${usedText(share)}</b>.
  </p>`;
}
