import { accountFamilies as families } from "../../../exporter/collectors/account-families.ts";
import { type InputSeries, seriesOf, type Value } from "./input-series.ts";
import { recorded } from "../../../dashboards/rules/series.ts";
import { type Expectation, firing, lasting, silent, type Story } from "./story.ts";

const HOUR = 60;
const DAY = 24 * HOUR;
const DAYS = 6;
const ALL = "AIGatewayAccount.+";

interface Account {
  readonly bought: (minute: number) => number;
  readonly used: (minute: number) => number;
  /** The processes and when they are scraped. */
  readonly scraped?: Readonly<Record<string, (minute: number) => boolean>>;
}

/** From hour 60 on, too little is left for a call, so the account stops spending. Credits are bought at hour 80. */
const stuck = story("stuck", "stays exhausted until credits are bought, although no rate is known any more", {
  bought: (minute) => (minute < 80 * HOUR ? 600 : 700),
  used: (minute) =>
    (599.7 * Math.min(minute, 60 * HOUR)) / (60 * HOUR) + Math.max(0, minute - 80 * HOUR) / 1000,
});

/** Too little is left at hour 60. Credits are bought at hour 80, and nothing is spent. */
const refilled = story("refilled", "is no longer exhausted when credits are bought", {
  bought: (minute) => (minute < 80 * HOUR ? 600 : 700),
  used: (minute) => (599.7 * Math.min(minute, 60 * HOUR)) / (60 * HOUR),
});

/** Too little is left at hour 60, but from hour 80 on a cheaper model is called. */
const cheaper = story("cheaper", "is no longer exhausted when calls succeed again", {
  bought: () => 600,
  used: (minute) =>
    (599.7 * Math.min(minute, 60 * HOUR)) / (60 * HOUR) + Math.max(0, minute - 80 * HOUR) / 10_000,
});

/**
 * The account pauses at hour 60. Half an hour later, the last hour's rate leaves less than ten minutes; four
 * minutes after that, it leaves more.
 */
const paused = story("paused", "is not exhausted for ever because a pause looked like it for some minutes", {
  bought: () => 2 * 60 * HOUR + 8.7,
  used: (minute) => 2 * Math.min(minute, 60 * HOUR),
});

/** Most of the credits expire at hour 60 and the rest at hour 100, while nothing is spent. */
const expired = story("expired", "is exhausted, and not predicted to be, when credits expire without spend", {
  bought: (minute) => (minute < 60 * HOUR ? 400 : minute < 100 * HOUR ? 130 : 100),
  used: () => 100,
});

/** 2 credits an hour: five days are left at hour 96. */
const slow = story("slow", "has five days left at the rate of three days", {
  bought: () => 2 * (96 + 5 * 24),
  used: (minute) => (2 * minute) / HOUR,
});

const stopped = story("stopped", "has all but stopped spending a day before three days are known", {
  bought: () => 528,
  used: (minute) => (6 * Math.min(minute, 47 * HOUR) + minute / 10) / HOUR,
});

const risen = story("risen", "has a week left at the rate of the last day only", {
  bought: () => 528,
  used: (minute) =>
    (0.5 * Math.min(minute, 131 * HOUR) + 6 * Math.min(Math.max(0, minute - 120 * HOUR), 11 * HOUR)) / HOUR,
});

const spent = story("spent", "is used up at once", {
  bought: () => 528,
  used: (minute) => (minute < 96 * HOUR ? 0 : 528),
});

/** All credits are transferred to another account while the process is replaced. */
const restarted = story("restarted", "counts only the process with the newest answer", {
  bought: (minute) => (minute < DAY ? 5000 : 100),
  used: (minute) => (minute < DAY ? 300 : 100),
  scraped: {
    "a:9853": (minute) => minute < DAY,
    "b:9853": (minute) => minute >= DAY,
  },
});

/** A job of two hours each night uses 60 credits an hour. After the fourth, the rate of the last hour leaves 150 minutes. */
const nightly = story("nightly", "is not about to run out because of a job that ends", {
  bought: () => 630,
  used: (minute) =>
    120 * Math.floor(minute / DAY) + Math.min(Math.max((minute % DAY) - 2 * HOUR, 0), 2 * HOUR),
});

/** 120 credits a day in ten hours of the day. What is left after the fourth day lasts for less than a day at its rate. */
const office = story("office", "is warned once, not again each morning", {
  bought: () => 590,
  used: (minute) =>
    120 * Math.floor(minute / DAY) + 12 * Math.min(Math.max((minute % DAY) / HOUR - 8, 0), 10),
});

/** The first ten hours that are known: 8 credits an hour, and 100 are left after the last of them. */
const young = story("young", "is warned by the rate of six hours while no day is known", {
  bought: () => 180,
  used: (minute) => (8 * minute) / HOUR,
});

/** From hour 100 on, 500 credits an hour use up the 1000 that are left. */
const runaway = story("runaway", "is about to run out when the last hour alone leaves less than an hour", {
  bought: () => 1000,
  used: (minute) => Math.min((500 * Math.max(0, minute - 100 * HOUR)) / HOUR, 1000),
});

const of = (job: string, name: string, severity: string) => ({ alertname: name, job, severity });

/** Accounts over days: their balance is used up, expires or is transferred. */
export const accountStories: readonly Story[] = [
  {
    ...stuck,
    expect: [
      ...[62, 70, 79].map((hour) =>
        firing("job=stuck", hour * HOUR, "AIGatewayAccountExhausted", [
          of("stuck", "AIGatewayAccountExhausted", "critical"),
        ]),
      ),
      lasting("job=stuck", "AIGatewayAccountExhausted", 62 * HOUR, 79 * HOUR),
      silent("job=stuck", "AIGatewayAccountExhausted", 80 * HOUR + 4, DAYS * DAY - 4),
    ],
  },
  ...[refilled, cheaper].map((again) => ({
    ...again,
    expect: [
      lasting(again.subject, "AIGatewayAccountExhausted", 62 * HOUR, 79 * HOUR),
      silent(again.subject, "AIGatewayAccountExhausted", 80 * HOUR + 24, 82 * HOUR),
    ],
  })),
  {
    ...paused,
    expect: [
      seemsExhausted("paused", 60 * HOUR + 32, 60 * HOUR + 32),
      seemsExhausted("paused", 60 * HOUR + 36, undefined),
      silent("job=paused", "AIGatewayAccountExhausted", 0, DAYS * DAY - 4),
    ],
  },
  {
    ...expired,
    expect: [
      silent("job=expired", ALL, 0, 100 * HOUR - 4),
      firing("job=expired", 101 * HOUR, ALL, [of("expired", "AIGatewayAccountExhausted", "critical")]),
      silent("job=expired", "AIGatewayAccountExhaustion.+", 0, DAYS * DAY - 4),
      ...[
        recorded.accountExhaustion1h,
        recorded.accountExhaustion6h,
        recorded.accountExhaustion1d,
        recorded.accountExhaustion3d,
      ].map(({ name }) => ({ at: 96 * HOUR, expr: `${name}{job="expired"}`, samples: [] })),
    ],
  },
  {
    ...slow,
    expect: [
      silent("job=slow", ALL, 0, 95 * HOUR),
      firing("job=slow", 98 * HOUR, ALL, [of("slow", "AIGatewayAccountExhaustionSlow", "warning")]),
      silent("job=slow", "AIGatewayAccountExhaust(ed|ionImminent|ionPredicted)", 0, DAYS * DAY - 4),
    ],
  },
  ...[stopped, risen, spent].map((quick) => ({
    ...quick,
    expect: [silent(quick.subject, "AIGatewayAccountExhaustionSlow", 0, 131 * HOUR)],
  })),
  {
    ...nightly,
    expect: [silent("job=nightly", "AIGatewayAccountExhaustionImminent", 0, 4 * DAY)],
  },
  {
    ...office,
    expect: [
      lasting("job=office", "AIGatewayAccountExhaustionSlow", 74 * HOUR, 112 * HOUR),
      silent("job=office", "AIGatewayAccountExhaustionPredicted", DAY, 89 * HOUR),
      lasting("job=office", "AIGatewayAccountExhaustionPredicted", 90 * HOUR, 112 * HOUR),
    ],
  },
  {
    ...young,
    expect: [
      silent("job=young", ALL, 0, 6 * HOUR),
      firing("job=young", 10 * HOUR, "AIGatewayAccountExhaustionPredicted", [
        of("young", "AIGatewayAccountExhaustionPredicted", "warning"),
      ]),
    ],
  },
  {
    ...runaway,
    expect: [
      silent("job=runaway", ALL, 0, 100 * HOUR),
      firing("job=runaway", 101 * HOUR + 30, "AIGatewayAccountExhaustionImminent", [
        of("runaway", "AIGatewayAccountExhaustionImminent", "critical"),
      ]),
    ],
  },
  {
    ...restarted,
    expect: [
      silent("job=restarted", ALL, 0, DAY - 4),
      firing("job=restarted", DAY + 12, ALL, [of("restarted", "AIGatewayAccountExhausted", "critical")]),
      ...[recorded.accountBought, recorded.accountUsed].map(({ name }) => ({
        at: DAY + 12,
        expr: `${name}{job="restarted"}`,
        samples: [{ labels: `${name}{job="restarted"}`, value: 100 }],
      })),
    ],
  },
];

/** Expects the minute since when the account seems to be exhausted, whether the alert fires already or not. */
function seemsExhausted(job: string, at: number, since: number | undefined): Expectation {
  const { name } = recorded.accountExhaustedSince;
  const samples = since === undefined ? [] : [{ labels: `${name}{job="${job}"}`, value: since * 60 }];
  return { at, expr: `${name}{job="${job}"}`, samples };
}

function story(job: string, title: string, account: Account): Omit<Story, "expect"> {
  return { title: `${job}: ${title}`, subject: `job=${job}`, series: seriesOfAccount(job, account) };
}

function seriesOfAccount(
  job: string,
  { bought, used, scraped = { "a:9853": () => true } }: Account,
): readonly InputSeries[] {
  const values: Readonly<Record<string, (minute: number) => number>> = {
    [families.bought.name]: bought,
    [families.used.name]: used,
    [families.balance.name]: (minute) => bought(minute) - used(minute),
    [families.lastSuccess.name]: (minute) => minute * 60,
  };
  return Object.entries(scraped).flatMap(([instance, isScraped]) =>
    Object.entries(values).map(([name, value]) =>
      seriesOf(
        name,
        { job, instance },
        Array.from({ length: DAYS * DAY }, (_, minute): Value => (isScraped(minute) ? value(minute) : null)),
      ),
    ),
  );
}
