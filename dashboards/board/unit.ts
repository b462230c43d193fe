import * as units from "@grafana/grafana-foundation-sdk/units";

/** How a number is written. */
export interface Unit {
  readonly id: string;
  readonly decimals?: number;
}

/** Units of Grafana under the names that they have here. */
export const unit = {
  /** Two decimals and never abbreviated: "1.2K" cannot be booked. Not a currency, since only the operator knows what a credit is worth. */
  credits: { id: "currency:financial: cr:suffix", decimals: 2 },
  /** In the currency of credit_value, which stands beside it. */
  money: { id: "currency:financial: :suffix", decimals: 2 },
  /** Prices of a request or of a million tokens: three digits, wherever they begin. */
  price: { id: units.Short },
  count: { id: units.LocaleFormat, decimals: 0 },
  /** Large counts, where the size matters more than the digits. */
  amount: { id: units.Short },
  ratio: { id: units.PercentUnit, decimals: 1 },
  seconds: { id: units.Seconds },
  /** Seconds from minutes to weeks. */
  duration: { id: units.Seconds, decimals: 1 },
  /** Milliseconds since the epoch, as a distance: "in 5 hours". */
  fromNow: { id: units.DateTimeFromNow },
  /** Milliseconds since the epoch, as a date. */
  date: { id: units.DatetimeISO },
  bytes: { id: units.BytesIEC },
  perSecond: { id: units.RequestsPerSecond },
  none: { id: units.NoUnit },
} as const satisfies Record<string, Unit>;
