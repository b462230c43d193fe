import {
  type Threshold,
  ThresholdsConfigBuilder,
  ThresholdsMode,
} from "@grafana/grafana-foundation-sdk/dashboard";
import { type Color, legible } from "../colors.ts";

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
    { value: null, color: legible(below) },
    ...from.map(([value, color]) => ({ value, color: legible(color) })),
  ];
  return new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(list);
}
