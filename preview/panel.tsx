import {
  applyFieldOverrides,
  cacheFieldDisplayNames,
  type DataFrame,
  type DataTransformerInfo,
  dateTime,
  type DisplayValue,
  getDisplayValueAlignmentFactors,
  getFieldDisplayValues,
  type GrafanaTheme2,
  LoadingState,
  standardTransformers,
  toDataFrame,
  VizOrientation,
} from "@grafana/data";
import { BarGauge, BigValue, PanelChrome, TimeSeries } from "@grafana/ui";
import { TableNG } from "@grafana/ui/unstable";
import { type ReactNode, useEffect, useState } from "react";
import { lastValueFrom, of } from "rxjs";

import type { Panel as PanelModel } from "./dashboard.ts";
import { fieldOptions } from "./field-options.ts";
import { type Choices, filled, framesOf, type Times } from "./prometheus.ts";

interface Props {
  readonly panel: PanelModel;
  readonly choices: Choices;
  readonly times: Times;
  readonly theme: GrafanaTheme2;
  readonly width: number;
  readonly height: number;
}

type State =
  | { readonly kind: "loading" }
  | { readonly kind: "error"; readonly message: string }
  | { readonly kind: "drawn" | "empty"; readonly frames: DataFrame[] };

/** A panel with its frame. Queries again whenever choices or times change. */
export function Panel(props: Props): ReactNode {
  const { panel, choices, times, theme, width, height } = props;
  const [state, setState] = useState<State>({ kind: "loading" });
  useEffect(() => {
    let isCurrent = true;
    load(panel, choices, times, theme).then(
      (next) => isCurrent && setState(next),
      (error: unknown) => isCurrent && setState({ kind: "error", message: String(error) }),
    );
    return () => {
      isCurrent = false;
    };
  }, [panel, choices, times, theme]);
  return (
    <div data-panel={`${panel.id} ${panel.title}`} data-state={state.kind}>
      <PanelChrome
        width={width}
        height={height}
        title={panel.title}
        description={panel.description ?? ""}
        loadingState={state.kind === "loading" ? LoadingState.Loading : LoadingState.Done}
      >
        {(innerWidth: number, innerHeight: number) => (
          <Content {...props} state={state} width={innerWidth} height={innerHeight} />
        )}
      </PanelChrome>
    </div>
  );
}

async function load(panel: PanelModel, choices: Choices, times: Times, theme: GrafanaTheme2): Promise<State> {
  const asked = await framesOf(panel, choices, times);
  const frames = await transform(panel, asked);
  const { fieldConfig } = panel;
  const mode = panel.type === "timeseries" ? "palette-classic" : "thresholds";
  const data = applyFieldOverrides({
    data: frames,
    fieldConfig: {
      ...fieldConfig,
      defaults: { color: { mode }, ...fieldConfig.defaults },
    } as typeof fieldConfig,
    replaceVariables: (text) => filled(text, choices),
    theme,
    timeZone: "utc",
    fieldConfigRegistry: fieldOptions,
  });
  cacheFieldDisplayNames(data);
  return { kind: data.every(({ length }) => length === 0) ? "empty" : "drawn", frames: data };
}

const TRANSFORMERS: Readonly<Record<string, DataTransformerInfo>> = {
  merge: standardTransformers.mergeTransformer,
  organize: standardTransformers.organizeFieldsTransformer,
};

async function transform({ transformations = [] }: PanelModel, frames: DataFrame[]): Promise<DataFrame[]> {
  let result = frames;
  for (const { id, options } of transformations) {
    const operator = TRANSFORMERS[id]?.operator(options, { interpolate: (text: string) => text });
    if (!operator) throw new Error(`Cannot draw the transformation "${id}"`);
    result = await lastValueFrom(of(result).pipe(operator));
  }
  return result;
}

function Content({
  panel,
  state,
  times,
  theme,
  width,
  height,
}: Props & { readonly state: State }): ReactNode {
  if (state.kind === "loading") return null;
  if (state.kind === "error") return <div className="empty">{state.message}</div>;
  if (state.kind === "empty") return <Empty panel={panel} theme={theme} width={width} height={height} />;
  const { frames } = state;
  switch (panel.type) {
    case "timeseries":
      return (
        <TimeSeries
          frames={frames}
          width={width}
          height={height}
          timeRange={{ from: dateTime(times.from), to: dateTime(times.to), raw: { from: "", to: "" } }}
          timeZone="utc"
          legend={panel.options.legend}
          options={{ ...panel.options }}
        >
          {() => null}
        </TimeSeries>
      );
    case "table":
      return (
        <TableNG
          data={frames[0] ?? toDataFrame({ fields: [] })}
          width={width}
          height={height}
          sortBy={panel.options.sortBy}
          cellHeight={panel.options.cellHeight}
          fieldConfig={panel.fieldConfig}
          enableVirtualization={false}
        />
      );
    case "stat":
    case "bargauge":
      return <Values panel={panel} frames={frames} theme={theme} width={width} height={height} />;
    default:
      throw new Error(`Cannot draw a panel of type "${panel.type}"`);
  }
}

type ValueProps = Pick<Props, "panel" | "theme" | "width" | "height">;

/** Text for missing data: in place of the value for single values, in the middle of other panels. */
function Empty({ panel, theme, width, height }: ValueProps): ReactNode {
  const text = panel.fieldConfig.defaults.noValue ?? "No data";
  if (panel.type !== "stat") return <div className="empty">{text}</div>;
  return (
    <Big panel={panel} theme={theme} width={width} height={height} value={{ text, numeric: Number.NaN }} />
  );
}

function Big({
  panel,
  theme,
  width,
  height,
  value,
}: ValueProps & { readonly value: DisplayValue }): ReactNode {
  const { colorMode, graphMode, justifyMode, textMode, wideLayout } = panel.options;
  return (
    <BigValue
      {...{ theme, width, height, value, colorMode, graphMode, justifyMode, textMode }}
      disableWideLayout={!wideLayout}
    />
  );
}

function Values({
  panel,
  frames,
  theme,
  width,
  height,
}: ValueProps & { readonly frames: DataFrame[] }): ReactNode {
  const values = getFieldDisplayValues({
    fieldConfig: panel.fieldConfig,
    reduceOptions: panel.options.reduceOptions,
    replaceVariables: (text) => text,
    theme,
    data: frames,
    timeZone: "utc",
  });
  const [first] = values;
  if (panel.type === "stat") {
    return first && <Big panel={panel} theme={theme} width={width} height={height} value={first.display} />;
  }
  const alignmentFactors = getDisplayValueAlignmentFactors(values);
  const rowHeight = Math.min(height / values.length, 48);
  return values.map((value, index) => (
    <div key={index} style={{ height: rowHeight }}>
      <BarGauge
        theme={theme}
        width={width}
        height={rowHeight - 10}
        field={value.field}
        value={value.display}
        display={value.view?.getFieldDisplayProcessor(value.colIndex ?? 1)}
        orientation={VizOrientation.Horizontal}
        displayMode={panel.options.displayMode}
        valueDisplayMode={panel.options.valueMode}
        namePlacement={panel.options.namePlacement}
        showUnfilled={panel.options.showUnfilled}
        alignmentFactors={alignmentFactors}
      />
    </div>
  ));
}
