import { type KeyFigures, WINDOW_OF } from "./books.ts";
import { windowEnd, windowStart } from "./calendar.ts";
import type { KeySettings } from "./story.ts";
import type { World } from "./world.ts";

/** What the books say at each minute about whether one of some alerts fires for a subject. */
export interface JudgedAlert {
  readonly names: readonly string[];
  /** As matchers. */
  readonly subject: string;
  readonly verdicts: readonly ("unjustified" | "possible" | "demanded")[];
}

/** An alert of a key: whether the figures at an instant justify it, and whether they demand it. */
interface KeyAlert {
  readonly names: readonly string[];
  readonly isPossible: (state: KeyState) => boolean;
  readonly isDemanded?: (state: KeyState) => boolean;
}

/** A key at an instant. Times are hours. */
interface KeyState {
  readonly figures: KeyFigures;
  readonly hadLimit: boolean;
  readonly lasts: number;
  readonly untilReset: number;
  readonly isRefused: boolean;
  readonly expiresIn: number;
}

const used = ({ figures: { remaining } }: KeyState) => remaining !== null && remaining <= 0;
const nearlyUsed = ({ figures: { remaining, limit } }: KeyState) =>
  remaining !== null && limit !== null && remaining <= 0.006 * limit;
const runsOut = (hours: number) => (state: KeyState) =>
  nearlyUsed(state) || (state.lasts < hours && state.lasts < 1.5 * state.untilReset);

/** With a wide margin: how well the forecast judges is measured elsewhere. */
const KEY_ALERTS: readonly KeyAlert[] = [
  { names: ["AIGatewayKeyExhausted"], isPossible: nearlyUsed },
  { names: ["AIGatewayKeyExhaustionImminent"], isPossible: runsOut(4) },
  { names: ["AIGatewayKeyExhaustionPredicted"], isPossible: runsOut(72) },
  { names: ["AIGatewayKeyExhaustionSlow"], isPossible: runsOut(14 * 24) },
  {
    names: ["AIGatewayKeyExhausted", "AIGatewayKeyExhaustionImminent"],
    isPossible: () => true,
    isDemanded: (state) => used(state) && !state.isRefused,
  },
  {
    names: ["AIGatewayKeyLimitLow"],
    isPossible: ({ figures: { remaining, limit } }) =>
      remaining !== null && limit !== null && remaining < 0.1 * limit,
  },
  {
    names: ["AIGatewayKeyLimitRemoved"],
    isPossible: ({ hadLimit, figures: { limit } }) => hadLimit && limit === null,
  },
  {
    names: ["AIGatewayKeyUnauthorized"],
    isPossible: (state) => state.isRefused,
    isDemanded: (state) => state.isRefused,
  },
  { names: ["AIGatewayKeyDataStale"], isPossible: ({ isRefused }) => isRefused },
  { names: ["AIGatewayKeyExpiresSoon"], isPossible: ({ expiresIn }) => expiresIn < 7 * 24 },
];

/** What the books say about the alerts on the configured keys and on budgets over them. */
export function justifiedAlerts(world: World, minutes: number): readonly JudgedAlert[] {
  const { settings, story } = world;
  const startMs = Date.parse(story.start);
  const ofMinutes = (isPossible: (atMs: number) => boolean, isDemanded: (atMs: number) => boolean) =>
    Array.from({ length: minutes }, (_, minute) => {
      const past = (count: number) =>
        Array.from({ length: count + 1 }, (__, ago) => startMs + (minute - ago) * 60_000);
      if (!past(ENDS_WITHIN).some(isPossible)) return "unjustified";
      return minute > BEGINS_WITHIN && past(BEGINS_WITHIN).every(isDemanded) ? "demanded" : "possible";
    });
  const keys = settings().keys.flatMap((key) =>
    KEY_ALERTS.map(({ names, isPossible, isDemanded = () => false }) => ({
      names,
      subject: `key="${key.name}"`,
      verdicts: ofMinutes(
        (atMs) => isPossible(stateOf(world, key, atMs)),
        (atMs) => isDemanded(stateOf(world, key, atMs)),
      ),
    })),
  );
  const budgets = settings().budgets.flatMap((budget) => {
    if (!("keys" in budget) || budget.window === "total") return [];
    const { window } = budget;
    const members = settings().keys.filter(({ name }) => budget.keys === "all" || budget.keys.includes(name));
    const share = (atMs: number) =>
      members.reduce((sum, key) => sum + stateOf(world, key, atMs).figures.usage[window], 0) / LIMIT;
    /** At the same rate. */
    const atEnd = (atMs: number) => {
      const [fromMs, toMs] = [windowStart(window, atMs), windowEnd(window, atMs)];
      return share(atMs) * ((toMs - fromMs) / Math.max(60_000, atMs - fromMs));
    };
    const subject = `budget="${budget.name}"`;
    return [
      {
        names: ["AIGatewayBudgetExceeded"],
        subject,
        verdicts: ofMinutes(
          (at) => share(at) > 1,
          (at) => share(at) > 1,
        ),
      },
      {
        names: ["AIGatewayBudgetThreshold"],
        subject,
        verdicts: ofMinutes(
          (at) => share(at) >= 0.5,
          () => false,
        ),
      },
      {
        names: ["AIGatewayBudgetForecastExceeded"],
        subject,
        verdicts: ofMinutes(
          (at) => atEnd(at) > 0.9,
          () => false,
        ),
      },
    ];
  });
  // There is always use without a key.
  const unwatched = { names: ["AIGatewayUnwatchedSpend"], subject: 'job!=""' };
  return [
    ...keys,
    ...budgets,
    {
      ...unwatched,
      verdicts: ofMinutes(
        () => true,
        () => false,
      ),
    },
  ];
}

function stateOf({ books, files, keys, settings, story }: World, key: KeySettings, atMs: number): KeyState {
  const { gateway } = settings();
  const held = files.tokens(key.file).findLast(({ from }) => Date.parse(story.start) + from <= atMs);
  const account = { gateway, number: held?.account ?? key.file };
  const figures = books.key(account, atMs);
  const counted = ({ usage, byok }: KeyFigures) => usage.total + (figures.countsByok ? byok.total : 0);
  const rate = counted(figures) - counted(books.key(account, atMs - HOUR_MS));
  const { remaining, reset } = figures;
  const window = reset === null ? undefined : WINDOW_OF[reset];
  const ago = Array.from({ length: 10 }, (_, index) => atMs - index * 10 * 60_000);
  return {
    figures,
    hadLimit: ago.some((one) => books.key(account, one).limit !== null),
    lasts: remaining === null ? Infinity : remaining / rate,
    untilReset: window === undefined ? Infinity : (windowEnd(window, atMs) - atMs) / HOUR_MS,
    isRefused: keys.accepted(account.number, atMs) === undefined,
    expiresIn: ((keys.lifetime(account.number)?.expiresMs ?? Infinity) - atMs) / HOUR_MS,
  };
}

const HOUR_MS = 3_600_000;
/** Of every budget in a story, millionths. */
const LIMIT = 1_000_000_000;
/** Minutes after which an alert has ended: a poll, a scrape, an evaluation and `keep_firing_for`. */
const ENDS_WITHIN = 20;
/** The same for its beginning, with `for`. */
const BEGINS_WITHIN = 15;
