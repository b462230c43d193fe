import * as units from "@grafana/grafana-foundation-sdk/units";

/** How a number is formatted. */
export interface Unit {
  readonly id: string;
  readonly decimals?: number;
}

/** Grafana's units, by the names used here. */
export const unit = {
  /**
   * Two decimals, never abbreviated, because finance cannot book "1.2K". Not a currency, because only the
   * operator knows what a credit is worth.
   */
  credits: { id: "currency:financial: cr:suffix", decimals: 2 },
  /** An amount in the currency of credit_value; the panel shows the currency beside it. */
  money: { id: "currency:financial: :suffix", decimals: 2 },
  /** Credits for one request: all of a column have the same decimals, so that they can be compared. */
  perRequest: { id: "currency:financial: :suffix", decimals: 6 },
  /** Credits for a million tokens. */
  perMillion: { id: "currency:financial: :suffix", decimals: 3 },
  count: { id: units.LocaleFormat, decimals: 0 },
  /** Large counts whose magnitude matters more than their digits. */
  amount: { id: units.Short },
  tenths: { id: units.NoUnit, decimals: 1 },
  ratio: { id: units.PercentUnit, decimals: 1 },
  seconds: { id: units.Seconds },
  /** Durations in seconds, shown as two whole units: "1 week, 4 days". */
  duration: { id: units.DurationSeconds, decimals: 1 },
  /** For axes: Grafana divides seconds by 60 and 3600 only after it has chosen ticks such as 200 s. */
  minutes: { id: "suffix:min" },
  /** The same for a logarithmic axis, whose ticks are powers of ten. */
  hours: { id: "suffix:h" },
  /** Milliseconds since the epoch, shown relative to now: "in 5 hours". */
  fromNow: { id: units.DateTimeFromNow },
  /** Milliseconds since the epoch, shown as a date. */
  date: { id: units.DatetimeISO },
  bytes: { id: units.BytesIEC },
  perSecond: { id: units.RequestsPerSecond },
  none: { id: units.NoUnit },
} as const satisfies Record<string, Unit>;
