import type { KeyLayer } from "../readings/reading.ts";
import type { Window } from "../time/window.ts";
import type { Forecast } from "./forecaster.ts";
import type { LayerForecast } from "./layer-forecasts.ts";
import type { Outlook } from "./outlook.ts";

/** What bounds a key, and how long it lasts. */
export interface Bound {
  readonly forecast: Forecast;
  /** Ends when it resets; undefined: it does not, or that is not known. */
  readonly window: Window | undefined;
  /** The scope of a budget, or `account`; undefined: the key's own limit, the only one. */
  readonly source: string | undefined;
  /** Whether other keys are bound by it too. */
  readonly isShared: boolean;
}

/** Everything that bounds a key. */
export interface Bounds {
  readonly own: Bound;
  /** The budgets that bind it, if there are any but its own limit. */
  readonly layers: readonly LayerForecast[];
  /** The balance of the account. */
  readonly account: Forecast | undefined;
}

/**
 * The bound that decides how long the key lasts: the one that ends first, before its own reset. Of those that are used up, the key's
 * own limits come first. If none is announced, it is the one of which least is known. The account counts only once it is announced.
 */
export function firstToEnd({ own, layers, account }: Bounds): Bound {
  const ofAccount = account && ANNOUNCED.has(account.outlook) ? [accountBound(account)] : [];
  if (layers.length === 0 && ofAccount.length === 0) return own;
  const bounds = layers.length === 0 ? [own] : layers.map(layerBound);
  const [first = own] = [...bounds, ...ofAccount].toSorted(
    (one, other) =>
      URGENCY.indexOf(one.forecast.outlook) - URGENCY.indexOf(other.forecast.outlook) ||
      (one.forecast.outlook === "exhausted" ? Number(one.isShared) - Number(other.isShared) : 0) ||
      (one.forecast.exhaustionMs ?? Number.MAX_VALUE) - (other.forecast.exhaustionMs ?? Number.MAX_VALUE),
  );
  return first;
}

const URGENCY: readonly Outlook[] = [
  "exhausted",
  "imminent",
  "predicted",
  "slow",
  "learning",
  "unknown",
  "lasts",
  "unlimited",
];
const ANNOUNCED: ReadonlySet<Outlook> = new Set(URGENCY.slice(0, 4));

function accountBound(forecast: Forecast): Bound {
  return { forecast, window: undefined, source: "account", isShared: true };
}

function layerBound({ layer, forecast }: LayerForecast): Bound {
  return {
    forecast,
    window: resetWindow(layer),
    source: layer.source,
    isShared: layer.sharedId !== undefined,
  };
}

/** Ends when the layer resets; undefined: it does not, or that is not known. */
export function resetWindow({ nextResetMs, window }: KeyLayer): Window | undefined {
  return nextResetMs === undefined ? undefined : window;
}
