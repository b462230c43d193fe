import { budgetFamilies } from "../../../exporter/budgets/families.ts";
import { seriesOf } from "./input-series.ts";
import { simulateKey, type SimulatedKey } from "./simulated-key.ts";
import { type Expectation, firing, silent, type Story } from "./story.ts";
import { JOB } from "../../../dashboards/rules/settings.ts";

const HOUR = 60;
const DAY = 1440;
const MINUTES = 12 * DAY;
const CREDITS = "AIGatewayKey(Exhaust.*|LimitLow)";

/** Stories of twelve days. */
export const weekStories: readonly Story[] = [
  weekday(),
  neverResets(),
  limitLow(
    "low",
    22,
    "a key below a tenth of its monthly limit that does not last the month fires the low alert",
    [firing("key=low", 9 * DAY, CREDITS, [alert("key=low", "KeyLimitLow", "info")])],
  ),
  limitLow("not-low", 20, "a key above a tenth of its monthly limit is silent", [
    silent("key=not-low", "AIGatewayKeyLimitLow", 0, MINUTES - 1),
  ]),
  unheard("low-unheard", "the low alert lasts while the gateway does not answer", "KeyLimitLow", "info", {
    limit: 100,
    reset: "monthly",
    spend: fourDays(22),
  }),
  unheard(
    "slow-unheard",
    "the alert a week ahead lasts while the gateway does not answer",
    "KeyExhaustionSlow",
    "warning",
    { limit: 1000, reset: "never", spend: () => 1000 / (14 * DAY) },
  ),
  anomaly("anomaly", 5, "a key that spends five times its most expensive hour of the week fires an alert", [
    silent("key=anomaly", "AIGatewayKeySpendAnomaly", 0, 10 * DAY),
    firing("key=anomaly", 10 * DAY + 70, "AIGatewayKeySpendAnomaly", [
      alert("key=anomaly", "KeySpendAnomaly", "info"),
    ]),
  ]),
  anomaly(
    "lively",
    1.45,
    "a key that spends nearly one and a half times its most expensive day of the week is silent",
    [silent("key=lively", "AIGatewayKeySpendAnomaly", 0, MINUTES - 1)],
  ),
  anomaly(
    "leaked",
    1.9,
    "a key that spends nearly twice its most expensive hour of the week for most of a day fires an alert",
    [
      silent("key=leaked", "AIGatewayKeySpendAnomaly", 0, 10 * DAY + 12 * HOUR),
      firing("key=leaked", 10 * DAY + 15 * HOUR, "AIGatewayKeySpendAnomaly", [
        alert("key=leaked", "KeySpendAnomaly", "info"),
      ]),
    ],
  ),
  young(),
  officeBudget("office", 85, "a daily budget of which office hours use 85 % is silent", [
    silent("budget=office", "AIGatewayBudget.*", DAY, MINUTES - 1),
  ]),
  officeBudget("busier", 127, "a daily budget fires an alert in the morning of a day that will exceed it", [
    silent("budget=busier", "AIGatewayBudget.*", DAY, 5 * DAY + 10 * HOUR),
    firing("budget=busier", 5 * DAY + 14 * HOUR, "AIGatewayBudget.*", [
      { ...alert("budget=busier", "BudgetForecastExceeded", "info"), scope: "account", window: "day" },
    ]),
  ]),
  prepaid("prepaid", 70, "a prepaid balance that lasts less than five days fires an alert", [
    silent("budget=prepaid", "AIGatewayBudgetExhaustion.*", 0, 9 * DAY),
    firing("budget=prepaid", 10 * DAY, "AIGatewayBudgetExhaustion.*", [
      { ...alert("budget=prepaid", "BudgetExhaustionSlow", "warning"), scope: "account", window: "total" },
    ]),
  ]),
  prepaid("ample", 58, "a prepaid balance that lasts more than five days is silent", [
    silent("budget=ample", "AIGatewayBudgetExhaustion.*", 0, MINUTES - 1),
  ]),
];

function simulate(name: string, key: Omit<SimulatedKey, "name" | "team">) {
  return simulateKey({ name, team: "payments", ...key }, MINUTES);
}

function weekday(): Story {
  const { series } = simulate("weekday", {
    limit: 100,
    reset: "weekly",
    spend: (minute) => (isWorkingHour(minute) ? 16 / (10 * HOUR) : 0),
  });
  return {
    title: "a weekday key that uses 80 % of its weekly limit is silent",
    subject: "key=weekday",
    series,
    expect: [silent("key=weekday", CREDITS, 0, MINUTES - 1)],
  };
}

function neverResets(): Story {
  const subject = "key=never";
  const { series, exhaustedAt = NaN } = simulate("never", {
    limit: 1000,
    reset: "never",
    spend: () => 1000 / (10 * DAY + 30),
  });
  const slow = alert(subject, "KeyExhaustionSlow", "warning");
  const predicted = alert(subject, "KeyExhaustionPredicted", "warning");
  return {
    title: "a key that never resets fires alerts a week, hours and minutes before it runs out",
    subject,
    series,
    expect: [
      silent(subject, CREDITS, 0, exhaustedAt - 7.1 * DAY),
      firing(subject, exhaustedAt - 5 * DAY, CREDITS, [slow]),
      firing(subject, exhaustedAt - 15 * HOUR, CREDITS, [predicted, slow]),
      firing(subject, exhaustedAt - 15, "AIGatewayKeyExhaustionImminent", [
        alert(subject, "KeyExhaustionImminent", "critical"),
      ]),
      // Alertmanager inhibits the others by then.
      firing(subject, MINUTES - 1, CREDITS, [
        alert(subject, "KeyExhaustionImminent", "critical"),
        predicted,
        slow,
      ]),
    ],
  };
}

/** Four expensive days, followed by cheap ones. */
function limitLow(name: string, creditsPerDay: number, title: string, expect: readonly Expectation[]): Story {
  const { series } = simulate(name, {
    limit: 100,
    reset: "monthly",
    spend: fourDays(creditsPerDay),
  });
  return { title, subject: `key=${name}`, series, expect };
}

function fourDays(creditsPerDay: number): (minute: number) => number {
  return (minute) => (minute < 4 * DAY ? creditsPerDay : 0.6) / DAY;
}

/** The gateway does not answer on the tenth day: the alert fires before and six hours later, and has ended after half a day. */
function unheard(
  name: string,
  title: string,
  alertName: string,
  severity: string,
  key: Omit<SimulatedKey, "name" | "team">,
): Story {
  const subject = `key=${name}`;
  const { series } = simulate(name, { ...key, answers: (minute) => minute < 9 * DAY || minute >= 10 * DAY });
  const fires = [alert(subject, alertName, severity)];
  return {
    title,
    subject,
    series,
    expect: [
      firing(subject, 9 * DAY - 4, CREDITS, fires),
      firing(subject, 9 * DAY + 6 * HOUR, CREDITS, fires),
      silent(subject, CREDITS, 9 * DAY + 13 * HOUR, 10 * DAY - 4),
    ],
  };
}

/** A key whose second and third day cost nearly twice as much as its first one, and an hour never twice as much as before. */
function young(): Story {
  const { series } = simulate("young", {
    limit: null,
    reset: "never",
    spend: (minute) => (minute < DAY ? 0.9 : 1.7) / HOUR,
  });
  return {
    title: "a key that is younger than four days has no usual day yet",
    subject: "key=young",
    series,
    expect: [silent("key=young", "AIGatewayKeySpendAnomaly", 0, MINUTES - 1)],
  };
}

/** 1.5 credits an hour for ten days, then a multiple of that. */
function anomaly(name: string, factor: number, title: string, expect: readonly Expectation[]): Story {
  const { series } = simulate(name, {
    limit: null,
    reset: "never",
    spend: (minute) => (minute < 10 * DAY ? 1.5 : 1.5 * factor) / HOUR,
  });
  return { title, subject: `key=${name}`, series, expect };
}

/** A daily budget of 100 credits. 85 are spent from 8 to 18 o'clock, and another number on the sixth day. */
function officeBudget(
  budget: string,
  onSixthDay: number,
  title: string,
  expect: readonly Expectation[],
): Story {
  const spent = (minute: number) => {
    const credits = Math.floor(minute / DAY) === 5 ? onSixthDay : 85;
    return credits * Math.min(1, Math.max(0, (minute % DAY) - 8 * HOUR) / (10 * HOUR));
  };
  const series = budgetSeries(budget, "day", { limit: () => 100, spent, windowStart: startOfDay });
  const end = exposedBudget(budget, budgetFamilies.windowEnd, (minute) => startOfDay(minute) + 86_400);
  return { title, subject: `budget=${budget}`, series: [...series, end], expect };
}

function prepaid(
  budget: string,
  creditsPerDay: number,
  title: string,
  expect: readonly Expectation[],
): Story {
  const spent = (minute: number) => (creditsPerDay * minute) / DAY;
  const series = budgetSeries(budget, "total", { limit: () => 1000, spent, windowStart: () => -86_400 });
  return { title, subject: `budget=${budget}`, series, expect };
}

function startOfDay(minute: number): number {
  return Math.floor(minute / DAY) * 86_400;
}

type Course = (minute: number) => number;

function budgetSeries(
  budget: string,
  window: string,
  courses: Readonly<Record<"limit" | "spent" | "windowStart", Course>>,
) {
  return [
    exposedBudget(budget, budgetFamilies.info, () => 1, { scope: "account", window, team: "payments" }),
    exposedBudget(budget, budgetFamilies.limit, courses.limit),
    exposedBudget(budget, budgetFamilies.spent, courses.spent),
    exposedBudget(budget, budgetFamilies.windowStart, courses.windowStart),
  ];
}

function exposedBudget(budget: string, family: { readonly name: string }, value: Course, labels = {}) {
  return seriesOf(
    family.name,
    { job: JOB, instance: "a:9853", budget, ...labels },
    Array.from({ length: MINUTES }, (_, minute) => value(minute)),
  );
}

function alert(subject: string, name: string, severity: string): Readonly<Record<string, string>> {
  const [label = "", value = ""] = subject.split("=");
  return {
    alertname: `AIGateway${name}`,
    job: JOB,
    [label]: value,
    team: "payments",
    severity,
  };
}

/** The first day is a Thursday. */
function isWorkingHour(minute: number): boolean {
  const hour = (minute % DAY) / HOUR;
  return (Math.floor(minute / DAY) + 3) % 7 < 5 && hour >= 8 && hour < 18;
}
