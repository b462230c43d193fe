import { type Family, type Sample, sample, wholeSeconds } from "../metrics/family.ts";
import type { Window } from "../time/window.ts";
import type { BurnWindow } from "./basis.ts";
import type { Forecast } from "./forecaster.ts";
import { OUTLOOKS } from "./outlook.ts";

/** The families of one kind of thing that has a limit. */
export interface ForecastFamilies {
  readonly outlook: Family;
  readonly exhaustion: Family;
  readonly burn?: Family;
  readonly usualBurn?: Family;
}

/** The samples of a forecast, valid until the end of `window`, which is the reset; undefined: no known reset. */
export function forecastSamples(
  { outlook, exhaustion, burn, usualBurn }: ForecastFamilies,
  labels: Readonly<Record<string, string>>,
  forecast: Forecast,
  window?: Window,
): readonly Sample[] {
  const until = validUntil(forecast, window);
  return [
    ...OUTLOOKS.flatMap((state) =>
      sample(outlook, { ...labels, [outlook.name]: state }, state === forecast.outlook, until),
    ),
    ...sample(exhaustion, labels, wholeSeconds(forecast.exhaustionMs), until),
    ...rates(burn, labels, forecast.burn),
    ...rates(usualBurn, labels, forecast.usualBurn),
  ];
}

/** What is not known any more, and what has no limit, outlasts the reset. */
export function validUntil({ outlook }: Forecast, window: Window | undefined): Window | undefined {
  return outlook === "unknown" || outlook === "unlimited" ? undefined : window;
}

function rates(
  family: Family | undefined,
  labels: Readonly<Record<string, string>>,
  values: Forecast["burn"],
): readonly Sample[] {
  if (!family) return [];
  return PUBLISHED.flatMap((window) => sample(family, { ...labels, window }, values[window]));
}

/** Each window is a series of every key. The others are in the JSON; Prometheus can compute the rate of minutes itself. */
const PUBLISHED = ["1h", "1d"] as const satisfies readonly BurnWindow[];
