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
  /** Never changes: addresses and alerts contain it. */
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  /** What is seen at first: `now-30d`. */
  readonly from: string;
  readonly refresh: string;
  readonly variables: readonly VariableModel[];
  readonly annotations: readonly AnnotationQuery[];
  readonly rows: readonly Row[];
}

/** Panels side by side. */
interface Row {
  /** A heading above it; its id is that of the heading. */
  readonly heading?: { readonly id: number; readonly title: string };
  readonly height: number;
  readonly panels: readonly PlacedPanel[];
}

/** What all dashboards have in common, so that each leads to the others. */
export const TAG = "aigateway";

/** A dashboard of rows. Times are UTC, since the gateway's days, weeks and months are. */
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

/** From left to right, from top to bottom. */
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
