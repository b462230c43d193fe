import type { Overview } from "../overview.ts";
import type { QueryRow } from "../target-rows.ts";
import { type Axis, AXIS_PATHS, axisAddress } from "../view.ts";
import { foreign, type Html, html, keyLink, labelled } from "./html.ts";
import { axisHistory, historySection } from "./history.ts";
import { layout, type Written } from "./layout.ts";
import { type Ranked, ranked, rankingSection, wholeNotes } from "./ranking.ts";
import { isLowerBound, windowTiles } from "./windows.ts";

const ONE = { model: "Model", app: "App" } as const;
const OTHER_AXIS = { model: "app", app: "model" } as const;

/** The page of all models or apps, or of the one with the name, which is missing if no answer names it. */
export function renderAxisPage(
  overview: Overview,
  telemetryPath: string,
  { axis, name }: { readonly axis: Axis; readonly name?: string | undefined },
): Written {
  const rows = ranked(overview.queries, (pair) => pair[axis]);
  const row = rows.find((each) => each.name === name);
  const isMissing = name !== undefined && !row;
  const title = name === undefined ? `${ONE[axis]}s` : isMissing ? `No such ${axis}` : name;
  return layout(
    {
      path: AXIS_PATHS[axis],
      title: `${title} – AI gateway exporter`,
      heading: row ? html`${ONE[axis]} ${labelled(title, axis)}` : title,
      address: axisAddress(axis, row && name),
      sections: row
        ? ofOne(overview, axis, row)
        : isMissing
          ? [missing(axis, name)]
          : ofAll(overview, axis, rows),
      isMissing,
    },
    overview,
    telemetryPath,
  );
}

/** In place of what only a management key shows. */
export const NO_ACCOUNT = html`<p class="note">
  Nothing is known about the account: no management key is configured (<code>analytics</code>).
</p>`;

function missing(axis: Axis, name: string): Html {
  return html`<section class="card">
    <p>
      No ${axis} is named ${foreign(name)} in the answers of the gateway. One that spends little is part of
      everything else.
    </p>
  </section>`;
}

function ofAll(overview: Overview, axis: Axis, rows: readonly Ranked[]): readonly Html[] {
  const { queries } = overview;
  if (queries.length === 0) return [NO_ACCOUNT];
  const table = { ...tableOf(axis), isWhole: true, notes: wholeNotes(queries) };
  return [
    windowTiles(overview),
    historySection(overview, axis),
    rankingSection(table, rankedRows(rows, axis), queries),
  ];
}

function ofOne(overview: Overview, axis: Axis, { name, amounts }: Ranked): readonly Html[] {
  const { queries, keyModels } = overview;
  const other = OTHER_AXIS[axis];
  const rows = ranked(queries, (each) => (each[axis] === name ? each[other] : undefined));
  return [
    windowTiles(overview, amounts),
    axisHistory(overview, axis, name),
    rankingSection(tableOf(other), rankedRows(rows, other), queries),
    ...(axis === "model" && keyModels ? [keysSection(overview, keyModels.keysOf(name))] : []),
  ];
}

function tableOf(axis: Axis) {
  return { id: "ranking", title: `${ONE[axis]}s`, what: ONE[axis], isBound: isLowerBound };
}

function rankedRows(rows: readonly Ranked[], axis: Axis) {
  return rows.map(({ name, amounts }) => {
    return { amounts, title: html`<a href="${axisAddress(axis, name)}">${labelled(name, axis)}</a>` };
  });
}

/** The keys that spend on a model. */
function keysSection({ keyNames }: Overview, windows: readonly QueryRow[]): Html {
  const rows = ranked(windows, (pair) => pair.model).map(({ name: label, amounts }) => {
    const key = keyNames.keyOf(label);
    if (key?.name === label) return { title: keyLink(label), amounts };
    const link = key && html`<small>${keyLink(key.name)}</small>`;
    return { title: html`${labelled(label, "name")}${link}`, amounts };
  });
  const notes = html`<p class="note">
    By the names that keys have at the gateway. Keys that spend little on the model may be missing: only the
    most expensive pairs of a key and a model are named.
  </p>`;
  return rankingSection(
    { id: "model-keys", title: "Keys", what: "Name at the gateway", notes },
    rows,
    windows,
  );
}
