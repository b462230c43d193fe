import * as fc from "fast-check";
import { settingsArbitrary } from "./settings-arbitrary.ts";
import { FOREIGN } from "./account-keys.ts";
import { type Fault, type KeyChange, ORDINARY, type Settings, type Story, type StoryEvent } from "./story.ts";

/** Stories of some hours, mostly around a midnight at which several windows end, and of some days. */
export function storyArbitrary(): fc.Arbitrary<Story> {
  return fc
    .record({
      seed: fc.nat(1_000_000),
      day: fc.constantFrom(...DAYS),
      minute: fc.oneof(
        { weight: 3, arbitrary: fc.integer({ min: 1405, max: 1438 }) },
        { weight: 1, arbitrary: fc.integer({ min: 0, max: 1300 }) },
      ),
      minutes: fc.oneof(
        { weight: 40, arbitrary: fc.integer({ min: 5, max: 45 }) },
        { weight: 1, arbitrary: fc.integer({ min: 120, max: 480 }) },
      ),
      scrapeSeconds: fc.constantFrom(45, 90, 150),
      latencyMs: fc.constantFrom(50, 300, 2000),
      lagSeconds: fc.constantFrom(0, 0, 20, 60),
      scale: fc.constantFrom(1, 1000, 1_000_000),
      settings: settingsArbitrary(),
      account: fc.option(fc.record({ pageSize: fc.constantFrom(4, 100) }), { nil: undefined, freq: 2 }),
      // A clock that is wrong at the start, and is corrected later.
      start: fc.option(
        fc.record({
          ahead: fc.constantFrom(-10_800, -600, 600, 3600),
          until: fc.integer({ min: 10, max: 900 }),
        }),
        {
          nil: undefined,
          freq: 8,
        },
      ),
    })
    .chain(({ day, minute, start, ...rest }) => {
      const minutes = rest.settings.keys.length > MANY_KEYS ? Math.min(rest.minutes, 12) : rest.minutes;
      const events = fc.array(eventArbitrary(minutes * 60), { maxLength: 6, size: "max" });
      const refusals = fc.oneof(
        { weight: 7, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: one(refusalsArbitrary()) },
      );
      return fc.tuple(events, refusals).map((drawn) => ({
        ...ORDINARY,
        ...rest,
        start: new Date(Date.parse(`${day}T00:00:00Z`) + minute * 60_000).toISOString(),
        minutes,
        aheadSeconds: start?.ahead ?? 0,
        events: knowable([...correction(start), ...drawn.flat(2)]).toSorted(
          (first, second) => first.at - second.at,
        ),
      }));
    });
}

/** In the week, and around the ends of weeks and of months of each length, also of days that the month before lacks. */
const DAYS = [
  "2026-02-28",
  "2026-03-30",
  "2026-03-31",
  "2026-04-30",
  "2026-11-17",
  "2026-11-22",
  "2026-11-29",
  "2026-11-30",
  "2026-12-31",
  "2028-02-28",
  "2028-02-29",
];

/** A story of more keys than this is short. */
const MANY_KEYS = 10;

/** A monotonic clock that stops while the wall clock is wrong leaves no way to know how much time has passed. */
function knowable(events: readonly StoryEvent[]): readonly StoryEvent[] {
  if (!events.some((event) => event.do === "step")) return events;
  return events.map((event) =>
    event.do === "suspend" ? { do: "suspend", at: event.at, for: event.for } : event,
  );
}

function correction(start: { ahead: number; until: number } | undefined): readonly StoryEvent[] {
  return start ? [{ do: "step", at: start.until, by: -start.ahead }] : [];
}

type Seconds = fc.Arbitrary<number>;

function eventArbitrary(seconds: number): fc.Arbitrary<readonly StoryEvent[]> {
  const at = fc.integer({ min: 1, max: seconds });
  const long = fc.oneof(fc.integer({ min: 1, max: 120 }), fc.integer({ min: 60, max: 1800 }));
  return fc.oneof(
    { weight: 8, arbitrary: one(faultArbitrary(at, long)) },
    { weight: 3, arbitrary: one(fc.record({ do: fc.constant("reload"), at, change: changeArbitrary() })) },
    { weight: 1, arbitrary: stepsArbitrary(at, long) },
    { weight: 1, arbitrary: one(suspensionArbitrary(at, long)) },
    { weight: 1, arbitrary: one(fc.record({ do: fc.constant("restart"), at })) },
    { weight: 1, arbitrary: one(fileArbitrary(at, long)) },
    { weight: 1, arbitrary: one(fc.record({ do: fc.constant("rotate"), at, file: fc.nat(3) })) },
    { weight: 1, arbitrary: one(rotationArbitrary(at)) },
    { weight: 3, arbitrary: keyChangesArbitrary(at, long) },
    { weight: 1, arbitrary: one(fc.record({ do: fc.constant("metric"), at })) },
    { weight: 3, arbitrary: limitsArbitrary(at, long) },
  );
}

function faultArbitrary(at: Seconds, long: Seconds): fc.Arbitrary<Fault> {
  return fc
    .record({
      at,
      for: long,
      what: fc.constantFrom<Fault["what"][]>(
        ...([
          429,
          429,
          429,
          "quota",
          "quota",
          "stale",
          "stale",
          401,
          402,
          403,
          400,
          404,
          408,
          500,
          503,
          529,
        ] as const),
        ...(["reset", "hang", "late", "slow", "garbage", "truncated", "left_out", "no_cost"] as const),
        "no_filter",
        "bad_row",
      ),
      endpoint: fc.constantFrom<Fault["endpoint"][]>("key", "key", "analytics", "transcription", "account"),
      accounts: fc.option(fc.uniqueArray(fc.nat(7), { minLength: 1, maxLength: 3 }), {
        nil: undefined,
        freq: 2,
      }),
      oneIn: fc.constantFrom(undefined, undefined, 2, 5),
      retryAfter: fc.constantFrom(undefined, 5, 60, 300, 3600),
      perMinute: fc.integer({ min: 0, max: 8 }),
    })
    .map(faultOf);
}

/** Keeps only what means something for the kind of the fault. */
function faultOf(drawn: {
  at: number;
  for: number;
  what: Fault["what"];
  endpoint: Fault["endpoint"];
  accounts: number[] | undefined;
  oneIn: number | undefined;
  retryAfter: number | undefined;
  perMinute: number;
}): Fault {
  const { at, what, accounts, oneIn, retryAfter, perMinute } = drawn;
  const endpoint = ENDPOINT_OF.get(what) ?? drawn.endpoint;
  const isHint = retryAfter !== undefined && (what === 429 || what === 503 || what === "quota");
  return {
    do: "fault",
    at,
    for: drawn.for,
    what,
    endpoint,
    ...(accounts && endpoint === "key" && what !== "quota" && { accounts }),
    ...(oneIn !== undefined && what !== "quota" && { oneIn }),
    ...(isHint && { retryAfter }),
    ...(what === "quota" && { perMinute }),
  };
}

const ENDPOINT_OF: ReadonlyMap<Fault["what"], Fault["endpoint"]> = new Map([
  ["stale", "analytics"],
  ["truncated", "analytics"],
  ["left_out", "analytics"],
  ["no_filter", "analytics"],
  ["bad_row", "account"],
  ["no_cost", "transcription"],
]);

/** Some keys are refused for a time that is longer than the time to live of the others. */
function refusalsArbitrary(): fc.Arbitrary<Fault> {
  return fc.record({
    do: fc.constant("fault"),
    at: fc.integer({ min: 60, max: 300 }),
    for: fc.integer({ min: 300, max: 900 }),
    what: fc.constant(429),
    endpoint: fc.constant("key"),
    accounts: fc.uniqueArray(fc.nat(7), { minLength: 3, maxLength: 5 }),
    retryAfter: fc.constantFrom(60, 300, 300),
  });
}

function changeArbitrary(): fc.Arbitrary<Partial<Settings>> {
  const changes = settingsArbitrary().chain((next) =>
    fc
      .subarray(
        [
          "keys",
          "keys",
          "gateway",
          "pace",
          "connections",
          "keySchedule",
          "analytics",
          "budgets",
          "probes",
        ] as const,
        { minLength: 1, maxLength: 2 },
      )
      .map((names) => Object.fromEntries(names.map((name) => [name, next[name]]))),
  );
  // Nothing changes: every value and every turn must be kept.
  return fc.oneof({ weight: 4, arbitrary: changes }, { weight: 1, arbitrary: fc.constant({}) });
}

/** A clock that is wrong for a while. */
function stepsArbitrary(at: Seconds, long: Seconds): fc.Arbitrary<readonly StoryEvent[]> {
  return fc
    .tuple(at, long, fc.constantFrom(-10_800, -3600, -600, -120, -5, 5, 120, 600, 3600, 10_800, 86_400))
    .map(([from, seconds, by]): readonly StoryEvent[] => [
      { do: "step", at: from, by },
      { do: "step", at: from + seconds, by: -by },
    ]);
}

function suspensionArbitrary(at: Seconds, long: Seconds): fc.Arbitrary<StoryEvent> {
  return fc
    .record({ at, for: long, frozen: fc.boolean() })
    .map(({ frozen, ...rest }) => ({ do: "suspend", ...rest, ...(frozen && { frozen }) }));
}

function fileArbitrary(at: Seconds, long: Seconds): fc.Arbitrary<StoryEvent> {
  return fc.record({
    do: fc.constant("file"),
    at,
    for: long,
    file: fc.constantFrom(0, 1, 2, 900),
    state: fc.constantFrom("gone", "empty", "hang", "slow"),
  });
}

/** The management key is replaced: by another one, or by mistake by an ordinary key or by that of another account. */
function rotationArbitrary(at: Seconds): fc.Arbitrary<StoryEvent> {
  return fc.record({
    do: fc.constant("rotate"),
    at,
    file: fc.constantFrom(900, 901),
    account: fc.constantFrom(900, 900, 5, FOREIGN),
  });
}

/**
 * Keys that no story configures are created and deleted, and any key of the account is changed. A deleted one may be
 * created again under its name.
 */
function keyChangesArbitrary(at: Seconds, long: Seconds): fc.Arbitrary<readonly StoryEvent[]> {
  const change = (key: number[], what: KeyChange) =>
    one(fc.record({ do: fc.constant("key"), at, key: fc.constantFrom(...key), change: fc.constant(what) }));
  const again = fc.tuple(at, long, fc.constantFrom(500, 501)).map(([from, seconds, key]): StoryEvent[] => [
    { do: "key", at: from, key, change: "delete" },
    { do: "key", at: from + seconds, key: 503, change: "create", title: `Key ${key}` },
  ]);
  return fc.oneof(
    again,
    change([503, 504], "create"),
    change([500, 501, 505], "delete"),
    change([0, 1, 500, 501, 502], "rename"),
    change([500, 502], "disable"),
    change([0, 1, 500, 502], "move"),
    change([1, 2, 501], "expire"),
  );
}

/** A key gets another limit, and sometimes another one some time later, of which some parts stay as they are. */
function limitsArbitrary(at: Seconds, long: Seconds): fc.Arbitrary<readonly StoryEvent[]> {
  const limit = fc.record(
    {
      left: fc.constantFrom(null, 0, 0.5, 10, 60, 500, 1_000_000),
      reset: fc.constantFrom(null, "daily", "weekly", "monthly"),
      byok: fc.boolean(),
    },
    { requiredKeys: [] },
  );
  return fc
    .tuple(at, long, fc.nat(4), fc.array(limit, { minLength: 1, maxLength: 2 }))
    .map(([from, seconds, key, limits]) =>
      limits.map((each, index) => ({ do: "limit", at: from + index * seconds, key, limit: each })),
    );
}

function one<Event extends StoryEvent>(arbitrary: fc.Arbitrary<Event>): fc.Arbitrary<readonly StoryEvent[]> {
  return arbitrary.map((event) => [event]);
}
