import { JOB } from "../../../../dashboards/rules/settings.ts";
import { forecastFamilies } from "../../../../exporter/forecast/families.ts";
import { type Outlook, OUTLOOKS, URGENCY } from "../../../../exporter/forecast/outlook.ts";
import type { Family } from "../../../../exporter/metrics/family.ts";
import { type InputSeries, seriesOf, type Value } from "../input-series.ts";

/** One alert that fires at a given minute, or a near miss that never fires. */
export interface AlertCase {
  readonly alert: string;
  readonly title: string;
  /** The label that identifies the case, because all cases run together: `key=name`. */
  readonly subject: string;
  readonly series: readonly InputSeries[];
  /** Undefined if the alert never fires. */
  readonly firesAt: number | undefined;
  /** The alert's labels other than the subject. */
  readonly labels: Readonly<Record<string, string>>;
}

export const CASE_MINUTES = 480;
export const HOUR = 60;

/** Returns a function that creates cases for alerts with a common name prefix and common labels. */
export function casesOf(prefix: string, label: string, labels: Readonly<Record<string, string>>) {
  return (
    alert: string,
    severity: string,
    subject: string,
    title: string,
    series: readonly InputSeries[],
    firesAt?: number,
  ): AlertCase => ({
    alert: `${prefix}${alert}`,
    title,
    subject: `${label}=${subject}`,
    series,
    firesAt,
    labels: { ...labels, severity },
  });
}

/** The samples that a process of the exporter exposes, minute by minute. */
export function exposed<Label extends string>(
  family: Family<Label>,
  labels: Readonly<Record<NoInfer<Label>, string>>,
  value: (minute: number) => Value,
  target: Target = {},
): InputSeries {
  const all: Readonly<Record<string, string>> = { job: JOB, instance: "a:9853", ...target, ...labels };
  return seriesOf(family.name, all, eachMinute(value));
}

/** What the scrape adds, if it is not the usual job and instance without a gateway. */
export interface Target {
  readonly job?: string;
  readonly gateway?: string;
  readonly instance?: string;
}

/** What a process forecasts; null while it is not scraped. */
export interface Course {
  readonly outlook: (minute: number) => Outlook | null;
  /** Whether the exhaustion is announced. */
  readonly isAnnounced: (minute: number) => boolean;
  /** Whether other keys are bound by what decides. */
  readonly isBoundByOthers?: (minute: number) => boolean;
  /** Whether less than a tenth of the limit is left. */
  readonly isLow?: boolean;
}

/** An outlook from a minute on, and before it that the credits last. */
export function since(minute: number, outlook: Outlook): Course {
  const isAnnounced = outlook === "imminent" || outlook === "predicted" || outlook === "slow";
  return {
    outlook: (at) => (at < minute ? "lasts" : outlook),
    isAnnounced: (at) => at >= minute && isAnnounced,
  };
}

/** The forecast of a key, as a state set, its urgency and the instant of exhaustion. */
export function forecastOfKey(
  key: string,
  course: Course,
  { team = "payments", ...target }: Target & { readonly team?: string } = {},
): readonly InputSeries[] {
  const { outlook, isBoundByOthers = () => false, isLow = false } = course;
  const urgency = (minute: number) => {
    const now = outlook(minute);
    if (now === null) return null;
    return isBoundByOthers(minute) || (now === "learning" && !isLow) ? 0 : URGENCY[now];
  };
  return [
    ...OUTLOOKS.map((state) =>
      exposed(forecastFamilies.keyOutlook, { key, aigateway_key_outlook: state }, is(course, state), target),
    ),
    exposed(forecastFamilies.keyUrgency, { key, team }, urgency, target),
    exposed(forecastFamilies.keyExhaustion, { key }, instant(course), target),
  ];
}

/** The same of a prepaid budget. */
export function forecastOfBudget(budget: string, course: Course): readonly InputSeries[] {
  return [
    ...OUTLOOKS.map((state) =>
      exposed(forecastFamilies.budgetOutlook, { budget, aigateway_budget_outlook: state }, is(course, state)),
    ),
    exposed(forecastFamilies.budgetExhaustion, { budget }, instant(course)),
  ];
}

/** The same of a budget that keys share; the id tells such budgets apart. */
export function forecastOfShared(id: string, course: Course): readonly InputSeries[] {
  const labels = { source: "workspace", id };
  return [
    ...OUTLOOKS.map((state) =>
      exposed(
        forecastFamilies.sharedOutlook,
        { ...labels, aigateway_shared_limit_outlook: state },
        is(course, state),
      ),
    ),
    exposed(forecastFamilies.sharedExhaustion, labels, instant(course)),
  ];
}

/** The same of the account of a job. */
export function forecastOfAccount(job: string, course: Course): readonly InputSeries[] {
  return [
    ...OUTLOOKS.map((state) =>
      exposed(forecastFamilies.accountOutlook, { aigateway_account_outlook: state }, is(course, state), {
        job,
      }),
    ),
    exposed(forecastFamilies.accountExhaustion, {}, instant(course), { job }),
  ];
}

function is({ outlook }: Course, state: Outlook): (minute: number) => Value {
  return (minute) => {
    const now = outlook(minute);
    return now === null ? null : Number(now === state);
  };
}

function instant({ outlook, isAnnounced }: Course): (minute: number) => Value {
  return (minute) => (outlook(minute) !== null && isAnnounced(minute) ? 100_000 : null);
}

export function eachMinute(value: (minute: number) => Value): readonly Value[] {
  return Array.from({ length: CASE_MINUTES }, (_, minute) => value(minute));
}
