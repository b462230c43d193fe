import { courseOf } from "../history.ts";
import type { Overview } from "../overview.ts";
import { type Axis, AXIS_PATHS, axisAddress } from "../view.ts";
import { foreign, type Html, html, keyLink } from "./html.ts";
import { axisHistory, historySection, todaySpark } from "./history.ts";
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
  const row = rows.find(({ pair }) => pair[axis] === name);
  const isMissing = name !== undefined && !row;
  const all = `${ONE[axis]}s`;
  const title = name === undefined ? all : isMissing ? `No such ${axis}` : name;
  const heading = row ? html`${ONE[axis]} ${foreign(title)}` : html`${title}`;
  const sections = row
    ? ofOne(overview, axis, row)
    : isMissing
      ? [missing(axis, name)]
      : ofAll(overview, axis, rows);
  const links = html`<a href="${axisAddress(axis, row && name)}"
    >${isMissing ? `All ${axis}s` : "Refresh"}</a
  >`;
  return layout(
    { path: AXIS_PATHS[axis], title: `${title} – AI gateway exporter`, heading, links, sections, isMissing },
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
      <code>_other</code>.
    </p>
  </section>`;
}

function ofAll(overview: Overview, axis: Axis, rows: readonly Ranked[]): readonly Html[] {
  const { queries, history, nowMs } = overview;
  if (queries.length === 0) return [NO_ACCOUNT];
  const shown = rankedRows(rows, axis).map((row) => ({
    ...row,
    picture: history && todaySpark(courseOf(history, "hour", axis, row.name), nowMs),
  }));
  const table = { ...tableOf(axis), isWhole: true, notes: wholeNotes(queries) };
  return [windowTiles(overview), historySection(overview, axis), rankingSection(table, shown, queries)];
}

function ofOne(overview: Overview, axis: Axis, { pair, amounts }: Ranked): readonly Html[] {
  const { queries, keyModels } = overview;
  const [name, other] = [pair[axis], OTHER_AXIS[axis]];
  const rows = ranked(queries, (each) => (each[axis] === name ? each[other] : undefined));
  return [
    windowTiles(overview, amounts),
    axisHistory(overview, axis, name),
    rankingSection(tableOf(other), rankedRows(rows, other), queries),
    ...(axis === "model" && keyModels ? [keysSection(keyModels, name)] : []),
  ];
}

function tableOf(axis: Axis) {
  return { id: "ranking", title: `${ONE[axis]}s`, what: ONE[axis], isBound: isLowerBound };
}

function rankedRows(rows: readonly Ranked[], axis: Axis) {
  return rows.map(({ pair, amounts }) => {
    const name = pair[axis];
    return { name, amounts, title: html`<a href="${axisAddress(axis, name)}">${foreign(name)}</a>` };
  });
}

/** The keys that spend on a model. */
function keysSection(keyModels: NonNullable<Overview["keyModels"]>, model: string): Html {
  const windows = keyModels.keysOf(model);
  const rows = ranked(windows, (pair) => pair.model).map(({ pair, amounts }) => {
    const name = keyModels.labels().nameOf(pair.model);
    return {
      title: html`${foreign(pair.model)}${name === undefined ? undefined : html`<small>${keyLink(name)}</small>`}`,
      amounts,
    };
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
