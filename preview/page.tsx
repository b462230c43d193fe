import { createTheme, ThemeContext } from "@grafana/data";
import { GlobalStyles } from "@grafana/ui";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { createRoot } from "react-dom/client";

import type { Dashboard, Panel as PanelModel, Variable } from "./dashboard.ts";
import { Panel } from "./panel.tsx";
import { type Choices, labelValues, type Times } from "./prometheus.ts";

/** As in Grafana: 30 pixels per row and 8 pixels between panels. */
const ROW = 38;
const GAP = 8;

/** Below this width, panels are one below the other, and single figures two in a row. */
const NARROW = 828;

const parameters = new URLSearchParams(location.search);
const mode = parameters.get("theme") === "light" ? "light" : "dark";
const theme = createTheme({ colors: { mode } });
const uid = location.pathname.replace("/d/", "");
/** Seconds between refreshes; 0 for pictures, which never refresh. */
const refreshSeconds = Number(parameters.get("refresh") ?? "15");
const rateInterval = parameters.get("rate") ?? "1m";

function Page({
  dashboard,
  titles,
}: {
  readonly dashboard: Dashboard;
  readonly titles: readonly Title[];
}): ReactNode {
  const [choices, setChoices] = useState<Choices>();
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    void initialChoices(dashboard.templating.list).then(setChoices);
    if (refreshSeconds === 0) return undefined;
    const timer = setInterval(() => setNow(Date.now()), refreshSeconds * 1000);
    return () => clearInterval(timer);
  }, [dashboard]);
  const width = usePageWidth() - 2 * GAP;
  const panels = width < NARROW ? stacked(dashboard.panels) : dashboard.panels;
  const height = Math.max(...panels.map(({ gridPos }) => gridPos.y + gridPos.h)) * ROW;
  return (
    <ThemeContext.Provider value={theme}>
      <GlobalStyles />
      <header className="bar">
        <h1>{dashboard.title}</h1>
        {choices &&
          dashboard.templating.list
            .filter(({ type }) => type === "query")
            .map((variable) => (
              <Choice key={variable.name} variable={variable} choices={choices} onChange={setChoices} />
            ))}
        {parameters.get("links") !== "no" && (
          <nav aria-label="Dashboards">
            {titles.map((title) => (
              <a
                key={title.uid}
                href={`/d/${title.uid}?theme=${mode}`}
                aria-current={title.uid === uid ? "page" : undefined}
              >
                {title.title.replace("AI gateway / ", "")}
              </a>
            ))}
          </nav>
        )}
      </header>
      <main style={{ position: "relative", margin: GAP, width, height }}>
        {choices &&
          panels.map((panel) => <Placed key={panel.id} {...{ dashboard, panel, choices, now, width }} />)}
      </main>
    </ThemeContext.Provider>
  );
}

/** The width of the page, also after the window has changed. */
function usePageWidth(): number {
  const [width, setWidth] = useState(document.documentElement.clientWidth);
  useEffect(() => {
    const update = (): void => setWidth(document.documentElement.clientWidth);
    addEventListener("resize", update);
    return () => removeEventListener("resize", update);
  }, []);
  return width;
}

/** The panels in reading order, each as wide as the page; two figures share a row. */
function stacked(panels: readonly PanelModel[]): readonly PanelModel[] {
  let y = 0;
  let x = 0;
  let rowHeight = 0;
  return panels
    .toSorted((one, other) => one.gridPos.y - other.gridPos.y || one.gridPos.x - other.gridPos.x)
    .map((panel) => {
      const w = panel.type === "stat" ? 12 : 24;
      const { h } = panel.gridPos;
      if (x + w > 24) {
        y += rowHeight;
        [x, rowHeight] = [0, 0];
      }
      const gridPos = { x, y, w, h };
      x += w;
      rowHeight = Math.max(rowHeight, h);
      return { ...panel, gridPos };
    });
}

interface PlacedProps {
  readonly dashboard: Dashboard;
  readonly panel: PanelModel;
  readonly choices: Choices;
  readonly now: number;
  readonly width: number;
}

function Placed({ dashboard, panel, choices, now, width }: PlacedProps): ReactNode {
  const { x, y, w, h } = panel.gridPos;
  const column = (width + GAP) / 24;
  const size = { width: w * column - GAP, height: h * ROW - GAP };
  const times = useMemo(
    () => timesOf(dashboard, panel, now, size.width),
    [dashboard, panel, now, size.width],
  );
  return (
    <div style={{ position: "absolute", left: x * column, top: y * ROW, ...size }}>
      {panel.type === "row" ? (
        <h2 className="heading">{panel.title}</h2>
      ) : (
        <Panel {...{ panel, choices, times, theme, ...size }} />
      )}
    </div>
  );
}

interface ChoiceProps {
  readonly variable: Variable;
  readonly choices: Choices;
  readonly onChange: (choices: Choices) => void;
}

function Choice({ variable, choices, onChange }: ChoiceProps): ReactNode {
  const [values, setValues] = useState<readonly string[]>([]);
  useEffect(() => {
    labelValues(variable.query, choices).then(setValues, () => setValues([]));
  }, [variable, choices]);
  const all = variable.includeAll ? [variable.allValue ?? ".*"] : [];
  return (
    <label>
      {variable.label}:{" "}
      <select
        value={choices[variable.name]}
        onChange={(event) => onChange({ ...choices, [variable.name]: event.target.value })}
      >
        {[...all, ...values].map((value) => (
          <option key={value} value={value}>
            {all.includes(value) ? "All" : value}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The values from the URL; otherwise All where a variable offers it, or else the first value. */
async function initialChoices(variables: readonly Variable[]): Promise<Choices> {
  let choices: Choices = { __rate_interval: rateInterval };
  for (const { name, type, query, includeAll, allValue = ".*" } of variables) {
    if (type !== "query") continue;
    const given = parameters.get(`var-${name}`);
    const value = given ?? (includeAll ? allValue : ((await labelValues(query, choices))[0] ?? ""));
    choices = { ...choices, [name]: value };
  }
  return choices;
}

const HOUR_MS = 3_600_000;

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function timesOf(dashboard: Dashboard, panel: PanelModel, now: number, width: number): Times {
  const from = startOf(panel.timeFrom ?? parameters.get("from") ?? dashboard.time.from, now);
  // Whole minutes, so that bars and days align with the steps.
  const minutes = Math.ceil((now - from) / width / 60_000) * 60_000;
  const wanted = now - from < HOUR_MS ? 5000 : minutes;
  const interval = panel.interval ? durationMs(panel.interval) : wanted;
  // Multiples of the interval, so that steps meet the few scrapes of a simulated past.
  return { from, to: now, stepMs: Math.ceil(wanted / interval) * interval };
}

function startOf(from: string, now: number): number {
  const date = new Date(now);
  return from === "now/M"
    ? Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
    : now - durationMs(from.replace("now-", ""));
}

function durationMs(text: string): number {
  const [, count = "", unit = ""] = /^(\d+)([smhd])$/.exec(text) ?? [];
  return Number(count) * (UNITS[unit] ?? Number.NaN);
}

interface Title {
  readonly uid: string;
  readonly title: string;
}

async function read<Content>(path: string): Promise<Content> {
  const response = await fetch(path);
  const content: Content = await response.json();
  return content;
}

async function start(): Promise<void> {
  const [dashboard, titles] = await Promise.all([
    read<Dashboard>(`/dashboards/${uid}.json`),
    read<readonly Title[]>("/dashboards.json"),
  ]);
  document.title = dashboard.title;
  document.documentElement.dataset["theme"] = mode;
  const root = document.getElementById("root");
  if (root) createRoot(root).render(<Page dashboard={dashboard} titles={titles} />);
}

void start();
