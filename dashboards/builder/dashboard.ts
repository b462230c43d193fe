import {
  type AnnotationQuery,
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
  type Panel,
  type RowPanel,
  type VariableModel,
} from "@grafana/grafana-foundation-sdk/dashboard";

import type { PlacedPanel } from "./panel.ts";

interface DashboardDefinition {
  /** Never changes: bookmarks and alerts contain it. */
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  /** Start of the initial time range: `now-30d`. */
  readonly from: string;
  readonly refresh: string;
  readonly variables: readonly VariableModel[];
  readonly annotations: readonly AnnotationQuery[];
  readonly rows: readonly Row[];
}

/** Panels drawn side by side. */
interface Row {
  /** A heading above the row, with the panel id of the heading itself. */
  readonly heading?: { readonly id: number; readonly title: string };
  readonly height: number;
  readonly panels: readonly PlacedPanel[];
}

/** The tag that all dashboards share, so that each links to the others. */
export const TAG = "aigateway";

/** Builds a dashboard from rows. It shows UTC, because the gateway's days, weeks and months are in UTC. */
export function createDashboard(definition: DashboardDefinition): Dashboard {
  const { uid, title, description, from, refresh, variables, annotations, rows } = definition;
  const dashboard = new DashboardBuilder(`AI gateway / ${title}`)
    .uid(uid)
    .description(description)
    .tags([TAG])
    .timezone("utc")
    .weekStart("monday")
    .readonly()
    .tooltip(DashboardCursorSync.Crosshair)
    .refresh(refresh)
    .time({ from, to: "now" })
    .link(
      new DashboardLinkBuilder("AI gateway")
        .type(DashboardLinkType.Dashboards)
        .tags([TAG])
        .asDropdown(true)
        .keepTime(true)
        .includeVars(true),
    )
    .build();
  return {
    ...dashboard,
    templating: { list: [...variables] },
    annotations: { list: [...annotations] },
    panels: arrange(rows),
  };
}

/** Places panels from left to right and from top to bottom. */
function arrange(rows: readonly Row[]): (Panel | RowPanel)[] {
  let y = 0;
  return rows.flatMap(({ heading, height, panels }) => {
    const headings = heading ? [rowPanel(heading, y)] : [];
    y += headings.length;
    let x = 0;
    const placed = panels.map(({ width, panel }) => {
      const gridPos = { x, y, w: width, h: height };
      x += width;
      return { ...panel, gridPos };
    });
    y += height;
    return [...headings, ...placed];
  });
}

function rowPanel({ id, title }: { readonly id: number; readonly title: string }, y: number): RowPanel {
  return { type: "row", id, title, collapsed: false, panels: [], gridPos: { x: 0, y, w: 24, h: 1 } };
}
