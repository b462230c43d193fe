import * as fc from "fast-check";
import {
  type AnalyticsSettings,
  type BudgetSettings,
  type KeySettings,
  numberedKeys,
  type ProbeSettings,
  type Settings,
} from "./story.ts";

/** Configurations of a few keys, sometimes of many, with and without analytics, budgets and probes. */
export function settingsArbitrary(): fc.Arbitrary<Settings> {
  return fc.oneof(
    { weight: 9, arbitrary: fewKeysArbitrary() },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fewKeysArbitrary(), crowdArbitrary())
        .map(([settings, crowd]) => consistent({ ...settings, ...crowd })),
    },
  );
}

/** More keys than the connections can poll within the schedule. */
function crowdArbitrary(): fc.Arbitrary<Partial<Settings>> {
  return fc.record({
    keys: fc.integer({ min: 15, max: 30 }).map(numberedKeys),
    connections: fc.constantFrom(1, 2, 4),
    pace: fc.constantFrom(600, 0, 60),
    keySchedule: fc.constantFrom("* * * * *", "5s", "5s"),
  });
}

function fewKeysArbitrary(): fc.Arbitrary<Settings> {
  return fc
    .record({
      keys: keysArbitrary(),
      gateway: fc.constantFrom("a", "a", "a", "b"),
      pace: fc.constantFrom(600, 600, 60, 20, 4, 0),
      connections: fc.constantFrom(64, 64, 4, 2, 1),
      keySchedule: fc.constantFrom("* * * * *", "* * * * *", "* * * * *", "60s", "30s", "5m", "7 * * * *"),
      analyticsSchedule: fc.constantFrom("*/5 * * * *", "*/5 * * * *", "60s", "15m"),
      analytics: fc.option(analyticsArbitrary(), { nil: undefined }),
      budgets: fc.subarray(BUDGETS),
      probes: fc.option(probesArbitrary(), { nil: undefined, freq: 4 }),
      formerPrice: fc.constantFrom(undefined, undefined, { until: "2026-11-09", value: 0.5 }),
    })
    .map(consistent);
}

/** Budgets of the account need analytics, and probes need their payers. */
function consistent(settings: Settings): Settings {
  const { analytics, budgets, keys, probes } = settings;
  const names = keys.map(({ name }) => name);
  return {
    ...settings,
    budgets: analytics ? budgets : budgets.filter((budget) => "keys" in budget),
    probes: probes && { ...probes, payers: probes.payers.filter((payer) => names.includes(payer)) },
  };
}

const BUDGETS: BudgetSettings[] = [
  { name: "keys-day", window: "day", keys: "all" },
  { name: "keys-week", window: "week", keys: ["k0"] },
  { name: "keys-month", window: "month", keys: "all" },
  { name: "account-day", window: "day", account: true },
  { name: "account-total", window: "total", account: true },
  { name: "model-month", window: "month", model: "acme/model-1" },
  { name: "model-week", window: "week", model: "acme/model-2" },
];

function keysArbitrary(): fc.Arbitrary<readonly KeySettings[]> {
  return fc
    .uniqueArray(
      fc.record({
        file: fc.nat(7),
        team: fc.constantFrom(undefined, "red", "blue"),
        label: fc.constantFrom(undefined, undefined, true),
      }),
      { selector: ({ file }) => file, minLength: 1, maxLength: 6, size: "max" },
    )
    .map((keys) => keys.map((key, index) => defined({ name: `k${index}`, ...key })));
}

/** Leaves out what is undefined, so that stories are short. */
function defined({
  name,
  file,
  team,
  label,
}: {
  name: string;
  file: number;
  team?: string | undefined;
  label?: true | undefined;
}): KeySettings {
  return { name, file, ...(team !== undefined && { team }), ...(label && { label }) };
}

function analyticsArbitrary(): fc.Arbitrary<AnalyticsSettings> {
  return fc
    .record({
      file: fc.constantFrom(900, 901),
      top: fc.constantFrom(2, 4, 50),
      queries: fc.constantFrom<AnalyticsSettings["queries"][]>(undefined, undefined, true, "filtered"),
      listing: fc.constantFrom(undefined, undefined, "all", "some", "everywhere"),
    })
    .map(({ queries, listing, ...rest }) => ({
      ...rest,
      ...(queries && { queries }),
      ...(listing && { listing }),
    }));
}

function probesArbitrary(): fc.Arbitrary<ProbeSettings> {
  return fc.record({
    payers: fc.subarray(["k0", "k1"], { minLength: 1 }),
    schedule: fc.constantFrom("*/5 * * * *", "60s", "*/2 * * * *"),
    perDay: fc.constantFrom(3, 10),
    perRun: fc.constant(1),
  });
}
