import {
  type Threshold,
  ThresholdsConfigBuilder,
  ThresholdsMode,
} from "@grafana/grafana-foundation-sdk/dashboard";

/** Green: fine. Yellow: worth a look. Orange: act today. Red: act now. Blue is neutral. */
export type Color = "green" | "yellow" | "orange" | "red" | "blue" | "purple" | "text" | "transparent";

/** The color below the first step, and the values at which other colors begin. */
export interface Steps {
  readonly below: Color;
  readonly from: readonly (readonly [value: number, color: Color])[];
}

export const PLAIN: Steps = { below: "text", from: [] };
export const BLUE: Steps = { below: "blue", from: [] };

export function steps(below: Color, ...from: Steps["from"]): Steps {
  return { below, from };
}

export function thresholdSteps({ below, from }: Steps): ThresholdsConfigBuilder {
  const list: Threshold[] = [
    { value: null, color: below },
    ...from.map(([value, color]) => ({ value, color })),
  ];
  return new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(list);
}
