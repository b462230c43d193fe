import { simulateKey, type SimulatedKey } from "./simulated-key.ts";
import { firing, lasting, silent, type Story } from "./story.ts";
import { JOB } from "../../../dashboards/rules/settings.ts";

const HOUR = 60;
const DAY = 1440;
const DAYS = 3 * DAY;
/** When the trouble begins: an hour after the first reset. */
const START = DAY + HOUR;
/** All alerts on remaining credits. */
const CREDITS = "AIGatewayKey(Exhaust.*|LimitLow)";
const PAGES = "AIGatewayKeyExhaust(ed|ionImminent)";

type Behaviour = Omit<SimulatedKey, "name" | "team" | "limit" | "reset"> & {
  readonly limit?: SimulatedKey["limit"];
  readonly reset?: SimulatedKey["reset"];
};

const runaway = (minute: number) => (minute < START ? 20 / DAY : 20 / HOUR);
const gaps = { "a:9853": (minute: number) => minute % 45 >= 8 };

/** Stories of three days. */
export const dailyStories: readonly Story[] = [
  quiet("a steady key that just lasts its day", "steady", { spend: () => 96 / DAY }),
  // On the first day there is no history that shows when its office closes.
  quiet("an office-hours key that uses 90 % of its limit", "diurnal", { spend: officeHours(90) }, DAYS, DAY),
  quiet("a bursty batch job", "bursty", {
    // Twenty minutes every four hours, at twenty times its mean rate.
    spend: (minute) => (minute % (4 * HOUR) >= 3 * HOUR && minute % (4 * HOUR) < 3 * HOUR + 20 ? 0.5 : 0.002),
  }),
  exhausted("a runaway that starts an hour after a reset", "runaway", { spend: runaway }),
  exhausted("a runaway with a refund every fifty minutes", "runaway-refunds", {
    spend: runaway,
    refund: (minute) => (minute > DAY && minute % 50 === 0 ? 0.01 : 0),
  }),
  exhausted("a runaway while the exporter restarts with another instance label", "runaway-restart", {
    spend: runaway,
    scraped: { "a:9853": (minute) => minute < START + 235, "b:9853": (minute) => minute >= START + 238 },
  }),
  exhausted("a runaway with two replicas", "runaway-replicas", {
    spend: runaway,
    scraped: { "a:9853": () => true, "b:9853": () => true },
  }),
  exhausted("a runaway with two replicas that have the newest answer in turns", "runaway-turns", {
    spend: runaway,
    scraped: { "a:9853": (minute) => minute % 2 === 0, "b:9853": (minute) => minute % 2 === 1 },
  }),
  exhausted("a runaway with gaps of eight minutes", "runaway-gaps", { spend: runaway, scraped: gaps }),
  quiet("a steady key with gaps of eight minutes", "gaps", { spend: () => 80 / DAY, scraped: gaps }),
  quiet("a steady key with two replicas", "replicas", {
    spend: () => 80 / DAY,
    scraped: { "a:9853": () => true, "b:9853": () => true },
  }),
  quiet("a refund of one cent", "refund", {
    spend: () => 70 / DAY,
    refund: (minute) => (minute === DAY + 6 * HOUR ? 0.01 : 0),
  }),
  quiet("a reset while the gateway is down", "reset-down", {
    spend: () => 97 / DAY,
    answers: (minute) => minute < 2 * DAY - 20 || minute >= 2 * DAY + 2 * HOUR,
  }),
  quiet("a key whose answers lag after midnight", "late", { spend: () => 96 / DAY, lag: 3 }),
  quiet("an unlimited key", "unlimited", { limit: null, reset: "never", spend: () => 10 }),
  quiet("a limit of zero", "zero", { limit: 0, spend: () => 1 }),
  frozen(),
  raised(),
  dryAtMidnight("a key that runs out minutes before its reset is silent afterwards", "dry-at-midnight"),
  // There is no moment in which the new window is unknown.
  dryAtMidnight(
    "a key that runs out minutes before its reset is silent afterwards, even if the next answer counts at once",
    "dry-at-once",
    { settled: 0 },
  ),
  dryAtMidnight("a key that continues to spend as fast after its reset fires an alert again", "dry-and-on", {
    spendsOn: true,
  }),
  refunded(),
  silenced(
    "an exhausted key resolves after a reset while the gateway is down",
    "reset-unheard",
    {
      answers: (minute) => minute < 2 * DAY - 10 || minute >= 2 * DAY + 2 * HOUR,
    },
    2 * DAY + 2,
  ),
  unheard("an exhausted key stays exhausted until the reset", "exhausted-unheard", "daily", 2 * DAY),
  // Half a day after the last values were known, which is 25 minutes after the last answer.
  unheard(
    "an exhausted key without a reset resolves after half a day",
    "never-unheard",
    "never",
    2 * DAY + 25,
  ),
];

function simulate(key: string, minutes: number, behaviour: Behaviour) {
  return simulateKey({ name: key, team: "payments", limit: 100, reset: "daily", ...behaviour }, minutes);
}

function quiet(title: string, key: string, behaviour: Behaviour, minutes = DAYS, from = 0): Story {
  const { series } = simulate(key, minutes, behaviour);
  return {
    title: `${title} is silent`,
    subject: `key=${key}`,
    series,
    expect: [silent(`key=${key}`, CREDITS, from, minutes - 1)],
  };
}

/**
 * Silent before the runaway, a warning an hour ahead, a page 15 minutes ahead that lasts through the
 * exhaustion, and silent after the reset.
 */
function exhausted(title: string, key: string, behaviour: Behaviour): Story {
  const { series, exhaustedAt = NaN } = simulate(key, 3 * DAY, {
    ...behaviour,
    spend: (minute) => (minute < START + DAY / 2 ? behaviour.spend(minute) : 20 / DAY),
  });
  const imminent = { ...alert(key, "ExhaustionImminent"), severity: "critical" };
  return {
    title: `${title} fires alerts in time`,
    subject: `key=${key}`,
    series,
    expect: [
      silent(`key=${key}`, CREDITS, 0, START),
      firing(`key=${key}`, exhaustedAt - 60, "AIGatewayKeyExhaustionPredicted", [
        alert(key, "ExhaustionPredicted"),
      ]),
      firing(`key=${key}`, exhaustedAt - 15, "AIGatewayKeyExhaustionImminent", [imminent]),
      lasting(`key=${key}`, "AIGatewayKeyExhaustionImminent", Math.floor(exhaustedAt) - 15, 2 * DAY - 2),
      // The earlier alerts keep firing, so that none of them ends while Alertmanager inhibits it.
      firing(`key=${key}`, 2 * DAY - 2, CREDITS, dry(key)),
      silent(`key=${key}`, CREDITS, 2 * DAY, 3 * DAY - 1),
    ],
  };
}

/** Exhausted while answers arrive, and silent from a given minute on. */
function silenced(title: string, key: string, behaviour: Omit<Behaviour, "spend">, from: number): Story {
  const spend = (minute: number) => (minute < 2 * DAY - HOUR ? 20 / HOUR : 20 / DAY);
  const { series } = simulate(key, DAYS, { ...behaviour, spend });
  return {
    title,
    subject: `key=${key}`,
    series,
    expect: [
      firing(`key=${key}`, DAY + 12 * HOUR - 2, PAGES, dry(key).slice(0, 1)),
      silent(`key=${key}`, PAGES, from, DAYS - 1),
    ],
  };
}

/** Exhausted at 05:00 of the second day, without answers from noon on: the page lasts until a given minute. */
function unheard(title: string, key: string, reset: SimulatedKey["reset"], until: number): Story {
  const { series } = simulate(key, DAYS, {
    spend: (minute) => (minute < START ? 1 / DAY : 20 / HOUR),
    answers: (minute) => minute < DAY + 12 * HOUR,
    timeToLive: DAY,
    reset,
  });
  return {
    title: `${title} while the gateway does not answer`,
    subject: `key=${key}`,
    series,
    expect: [
      lasting(`key=${key}`, "AIGatewayKeyExhaustionImminent", DAY + 12 * HOUR, until - 4),
      silent(`key=${key}`, CREDITS, until + 4, DAYS - 1),
    ],
  };
}

/** The refund is worth a few calls, which are used up within half an hour. */
function refunded(): Story {
  const key = "refunded";
  const dryBy = START + 8 * HOUR;
  const { series } = simulate(key, 2 * DAY, {
    spend: (minute) => (minute < dryBy ? runaway(minute) : 0.01),
    refund: (minute) => (minute === dryBy + HOUR ? 0.3 : 0),
  });
  return {
    title: "an exhausted key that is refunded a few calls stays exhausted",
    subject: `key=${key}`,
    series,
    expect: [lasting(`key=${key}`, "AIGatewayKeyExhaustionImminent", dryBy, dryBy + 4 * HOUR)],
  };
}

/** Runs out ten minutes before a reset. Only a key that continues to spend at that rate fires an alert after the reset. */
function dryAtMidnight(
  title: string,
  key: string,
  { spendsOn = false, settled = 2 }: { readonly spendsOn?: boolean; readonly settled?: number } = {},
): Story {
  // Slow enough that the spend of the last 15 minutes fits into the new window.
  const perHour = spendsOn ? 120 : 40;
  const from = 2 * DAY - 10 - (100 - 20 / DAY) / (perHour / HOUR);
  const { series } = simulate(key, DAYS, {
    spend: (minute) =>
      minute >= from && (spendsOn || minute < 2 * DAY - 5) && minute < 2 * DAY + HOUR
        ? perHour / HOUR
        : 0.1 / DAY,
    settled,
  });
  const after = spendsOn
    ? [firing(`key=${key}`, 2 * DAY + 25, "AIGatewayKeyExhaustionImminent", dry(key).slice(0, 1))]
    : // In the minute of the reset itself, the rate of the last hour may still exceed the new window.
      [silent(`key=${key}`, CREDITS, 2 * DAY + 2, DAYS - 1)];
  return {
    title,
    subject: `key=${key}`,
    series,
    // At the faster rate less than 40 minutes are left from the start, so the page comes without a warning.
    expect: [
      firing(`key=${key}`, 2 * DAY - 2, CREDITS, spendsOn ? dry(key).slice(0, 1) : dry(key)),
      ...after,
    ],
  };
}

/** All alerts of a key whose exhaustion was announced; the page for it is not repeated when it comes. */
function dry(key: string): readonly Readonly<Record<string, string>>[] {
  return [{ ...alert(key, "ExhaustionImminent"), severity: "critical" }, alert(key, "ExhaustionPredicted")];
}

function raised(): Story {
  const key = "raised";
  const raisedAt = 20 * HOUR;
  const limit = (minute: number) => (minute < raisedAt ? 100 : 2000);
  const { series } = simulate(key, DAYS, { limit, reset: "monthly", spend: () => 4.5 / HOUR });
  return {
    title: "raising the limit ends the warning",
    subject: `key=${key}`,
    series,
    expect: [
      firing(`key=${key}`, raisedAt - 1, "AIGatewayKeyExhaustionPredicted", [
        alert(key, "ExhaustionPredicted"),
      ]),
      silent(`key=${key}`, "AIGatewayKeyExhaust.*", raisedAt + 90, DAYS - 1),
    ],
  };
}

function frozen(): Story {
  const key = "frozen";
  const from = DAY + 18 * HOUR;
  const answers = (minute: number) => minute < from || minute > from + DAY;
  const { series } = simulate(key, DAYS, { spend: () => 97 / DAY, answers });
  return {
    title: "a key with stale data fires the alert on stale data and none on credits",
    subject: `key=${key}`,
    series,
    expect: [
      silent(`key=${key}`, CREDITS, 0, DAYS - 1),
      silent(`key=${key}`, "AIGatewayKeyDataStale", 0, from + 15),
      firing(`key=${key}`, from + 25, "AIGatewayKeyDataStale", [alert(key, "DataStale")]),
      firing(`key=${key}`, from + DAY, "AIGatewayKeyDataStale", [alert(key, "DataStale")]),
      silent(`key=${key}`, "AIGatewayKeyDataStale", from + DAY + 10, DAYS - 1),
    ],
  };
}

function alert(key: string, name: string): Readonly<Record<string, string>> {
  return {
    alertname: `AIGatewayKey${name}`,
    job: JOB,
    key,
    team: "payments",
    severity: "warning",
  };
}

/** An amount per day, nearly all of it between 08:00 and 18:00. */
function officeHours(perDay: number): (minute: number) => number {
  return (minute) => {
    const hour = (minute % DAY) / HOUR;
    return hour >= 8 && hour < 18 ? (0.95 * perDay) / (10 * HOUR) : (0.05 * perDay) / (14 * HOUR);
  };
}
