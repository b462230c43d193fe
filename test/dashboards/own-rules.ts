import { type DashboardJson, expressionsOf, type PanelJson } from "./dashboard-json.ts";
import { knownSeries } from "./known-series.ts";
import { scan } from "./promql-scan.ts";

/** The panel types that the preview can draw. */
const DRAWN = ["row", "stat", "timeseries", "bargauge", "table"];

const COLUMNS = 24;

/** Our own rules for dashboards. Each finding names its location. */
export const ownRules: Readonly<Record<string, (dashboard: DashboardJson) => readonly string[]>> = {
  "has unique panel ids": ({ panels }) => duplicates(panels.map(({ id }) => String(id))),
  "has unique query names in each panel": ({ panels }) =>
    panels.flatMap((panel) => duplicates(panel.targets.map(({ refId }) => `${panel.title} ${refId}`))),
  "has an id for every panel and a name for every query": ({ panels }) =>
    panels
      .filter(({ id, targets }) => id === 0 || targets.some(({ refId }) => refId === ""))
      .map(({ title }) => title),
  "has no overlapping panels": ({ panels }) =>
    panels.flatMap((panel, index) =>
      panels
        .slice(index + 1)
        .filter((other) => overlap(panel, other))
        .map(({ title }) => `${panel.title} / ${title}`),
    ),
  "fills 24 columns in every row": ({ panels }) => {
    const rows = Map.groupBy(panels, ({ gridPos }) => gridPos.y);
    return [...rows]
      .filter(([, row]) => row.reduce((sum, { gridPos }) => sum + gridPos.w, 0) !== COLUMNS)
      .map(([y]) => `row at ${y}`);
  },
  "uses only panel types that the preview can draw": ({ panels }) =>
    panels.filter(({ type }) => !DRAWN.includes(type)).map(({ title, type }) => `${title}: ${type}`),
  "describes for every panel what it shows, how to read it, what to do and where the data come from": ({
    panels,
  }) =>
    panels
      .filter(
        ({ type, description }) =>
          type !== "row" &&
          !/^.{20,}\n\n\*\*Read\*\* .+\n\n\*\*Do\*\* .+\n\n.*\*\*From\*\* `/s.test(description),
      )
      .map(({ title }) => title),
  "explains for every panel why it may be empty": ({ panels }) =>
    panels
      .filter(({ type, fieldConfig }) => type !== "row" && (fieldConfig?.defaults.noValue ?? "") === "")
      .map(({ title }) => title),
  "mentions every panel that needs more history than Prometheus keeps by default": (dashboard) =>
    dashboard.panels
      .filter((panel) => needsHistory(dashboard, panel) !== panel.description.includes("**History**"))
      .map(({ title }) => title),
  "links to the other dashboards with its variables and time range": ({ links, tags }) =>
    tags.includes("aigateway") &&
    links.some((link) => link.type === "dashboards" && link.asDropdown && link.keepTime && link.includeVars)
      ? []
      : ["has no such link"],
  "is in UTC": ({ timezone }) => (timezone === "utc" ? [] : [timezone]),
  "stores no values of variables": ({ templating }) =>
    templating.list
      .filter(({ current, options }) => current !== undefined || options !== undefined)
      .map(({ name }) => name),
  "selects only existing series": (dashboard) =>
    findings(dashboard, (expr) =>
      scan(expr)
        .selectors.map(({ name }) => name)
        .filter((name) => !knownSeries.has(name)),
    ),
  "uses only labels of the selected series": (dashboard) =>
    findings(dashboard, (expr, legend) => {
      const { selectors, labels, made } = scan(expr);
      const wrong = selectors.flatMap(({ name, matchers }) =>
        matchers.map(({ label }) => label).filter((label) => !labelsOf(name).has(label)),
      );
      const all = new Set([...selectors.flatMap(({ name }) => [...labelsOf(name)]), ...made]);
      const inLegend = [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = ""]) => label);
      return [...wrong, ...[...labels, ...inLegend].filter((label) => !all.has(label))];
    }),
};

const TARGET_LABELS = ["job", "instance"];

function labelsOf(series: string): ReadonlySet<string> {
  return new Set([...(knownSeries.get(series)?.labels ?? []), ...TARGET_LABELS]);
}

function findings(
  dashboard: DashboardJson,
  wrong: (expr: string, legend: string) => readonly string[],
): readonly string[] {
  return expressionsOf(dashboard).flatMap(({ where, expr, legend }) =>
    [...new Set(wrong(expr, legend))].map((name) => `${where}: ${name}`),
  );
}

function duplicates(names: readonly string[]): readonly string[] {
  return names.filter((name, index) => names.indexOf(name) !== index);
}

function overlap({ gridPos: one }: PanelJson, { gridPos: other }: PanelJson): boolean {
  const beside = one.x + one.w <= other.x || other.x + other.w <= one.x;
  const below = one.y + one.h <= other.y || other.y + other.h <= one.y;
  return !beside && !below;
}

/** Whether a panel needs more than 15 days: a graph with such a range, or an expression that looks back further. */
function needsHistory(dashboard: DashboardJson, panel: PanelJson): boolean {
  const from = panel.timeFrom || dashboard.time.from;
  const isLong = /^now-(?:[2-9]\d|1[6-9])d$|^now\/M$/.test(from);
  return (
    (panel.type === "timeseries" && isLong) || panel.targets.some(({ expr }) => /offset [23]\dd/.test(expr))
  );
}
