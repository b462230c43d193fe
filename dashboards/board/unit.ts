import * as units from "@grafana/grafana-foundation-sdk/units";

/** How a number is written. */
export interface Unit {
  readonly id: string;
  readonly decimals?: number;
}

/** Units of Grafana under the names that they have here. */
export const unit = {
  /** Amounts of credits are never abbreviated: "1.2K" cannot be booked. What a credit is worth is the operator's to say. */
  credits: { id: units.LocaleFormat, decimals: 2 },
  /** Prices of a request or of a million tokens: three digits, wherever they begin. */
  price: { id: units.Short },
  count: { id: units.LocaleFormat, decimals: 0 },
  /** Large counts, where the size matters more than the digits. */
  amount: { id: units.Short },
  ratio: { id: units.PercentUnit, decimals: 1 },
  /** Seconds as "2 days, 3 hours". */
  duration: { id: units.DurationSeconds },
  seconds: { id: units.Seconds },
  /** Milliseconds since the epoch, as a distance: "in 5 hours". */
  fromNow: { id: units.DateTimeFromNow },
  /** Milliseconds since the epoch, as a date. */
  date: { id: units.DatetimeISO },
  bytes: { id: units.BytesIEC },
  perSecond: { id: units.RequestsPerSecond },
  none: { id: units.NoUnit },
} as const satisfies Record<string, Unit>;
