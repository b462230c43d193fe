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

const theme = createTheme({ colors: { mode: "dark" } });
const parameters = new URLSearchParams(location.search);
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
  const width = document.documentElement.clientWidth - 2 * GAP;
  const height = Math.max(...dashboard.panels.map(({ gridPos }) => gridPos.y + gridPos.h)) * ROW;
  return (
    <ThemeContext.Provider value={theme}>
      <GlobalStyles />
      <div className="bar">
        <h1>{dashboard.title}</h1>
        {choices &&
          dashboard.templating.list
            .filter(({ type }) => type === "query")
            .map((variable) => (
              <Choice key={variable.name} variable={variable} choices={choices} onChange={setChoices} />
            ))}
        {parameters.get("links") !== "no" &&
          titles.map((title) => (
            <a key={title.uid} href={`/d/${title.uid}`}>
              {title.title.replace("AI gateway / ", "")}
            </a>
          ))}
      </div>
      <div style={{ position: "relative", margin: GAP, width, height }}>
        {choices &&
          dashboard.panels.map((panel) => (
            <Placed key={panel.id} {...{ dashboard, panel, choices, now, width }} />
          ))}
      </div>
    </ThemeContext.Provider>
  );
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
        <div className="heading">{panel.title}</div>
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
  return { from, to: now, stepMs: Math.max(panel.interval ? durationMs(panel.interval) : 0, wanted) };
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
  const root = document.getElementById("root");
  if (root) createRoot(root).render(<Page dashboard={dashboard} titles={titles} />);
}

void start();
