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
  "gives no two ticks of an axis the same text": ({ panels }) =>
    panels
      .filter(({ type, fieldConfig }) => {
        const { decimals, custom } = fieldConfig?.defaults ?? {};
        // Ten ticks at most, so that the distance of two is at least the last decimal; or powers of ten.
        return (
          type === "timeseries" &&
          decimals !== undefined &&
          custom?.scaleDistribution?.type !== "log" &&
          (custom?.axisSoftMax ?? 0) < 10 / 10 ** decimals
        );
      })
      .map(({ title }) => title),
  "shows all prices of a column with the same decimals": ({ panels }) =>
    panels.flatMap((panel) =>
      prices(panel)
        .filter(({ properties }) => !properties.some(({ id }) => id === "decimals"))
        .map(({ matcher }) => `${panel.title}: ${String(matcher.options)}`),
    ),
  "shows no price below 0, because a correction is not a price": ({ panels }) =>
    panels
      .filter((panel) => {
        const asked = panel.targets.filter(({ expr }) => />= 0\)\s*\/ /.test(expr)).length;
        return asked < prices(panel).filter(({ matcher }) => matcher.options !== "Cost").length;
      })
      .map(({ title }) => title),
  "wraps names that are longer than their column": ({ panels }) =>
    panels.flatMap((panel) =>
      (panel.type === "table" ? (panel.fieldConfig?.overrides ?? []) : [])
        .filter(({ properties }) => !properties.some(({ id }) => id === "unit"))
        .filter(({ properties }) => !/"wrapText":true/.test(JSON.stringify(properties)))
        .map(({ matcher }) => `${panel.title}: ${String(matcher.options)}`),
    ),
  "has columns that are as wide as their titles and texts": ({ panels }) =>
    panels.flatMap((panel) =>
      (panel.type === "table" ? (panel.fieldConfig?.overrides ?? []) : [])
        .filter(({ properties }) => properties.some(({ id }) => id === "unit"))
        .flatMap(({ matcher, properties }) => {
          const mapped = JSON.stringify(properties).matchAll(/"text":"([^"]*)"/g);
          const texts = [String(matcher.options), ...[...mapped].map(([, text = ""]) => text)];
          const width = properties.find(({ id }) => id === "custom.width" || id === "custom.minWidth")?.value;
          return texts
            .filter((text) => Number(width) < widthOf(text))
            .map((text) => `${panel.title}: ${text}`);
        }),
    ),
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

/** Pixels that a text of 14 px and the padding of its cell take. */
function widthOf(text: string): number {
  return 7.4 * text.length + 12;
}

/** The columns of a table that are prices. */
function prices({ fieldConfig }: PanelJson) {
  return (fieldConfig?.overrides ?? []).filter(({ matcher }) =>
    /^(?:Per |Cost$)/.test(String(matcher.options)),
  );
}

const TARGET_LABELS = ["job", "gateway", "instance"];

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
