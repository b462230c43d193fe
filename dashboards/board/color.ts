import {
  type Threshold,
  ThresholdsConfigBuilder,
  ThresholdsMode,
} from "@grafana/grafana-foundation-sdk/dashboard";

/** Green is fine, yellow is worth a look, orange wants something today, red now. Blue says nothing of good and bad. */
export type Color = "green" | "yellow" | "orange" | "red" | "blue" | "purple" | "text" | "transparent";

/** The color below the first step, and the values from which another one begins. */
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
