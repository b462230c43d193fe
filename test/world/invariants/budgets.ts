import { windowStart, decimal, ofMicros } from "../calendar.ts";
import { rangeStart, usageAnswers } from "../shown-usage.ts";
import { questionsAbout, accountAnswers } from "../shown-keys.ts";
import type { BudgetSettings, GatewayName, KeySettings } from "../story.ts";
import type { Judge, Scrape, World } from "../world.ts";
import { FOREIGN, isManagement } from "../account-keys.ts";
import type { Question } from "../questions.ts";
import { intervalMs } from "../exporter-state.ts";

/**
 * A complete budget has spent what the books say. An incomplete one has spent at most that, and a budget that lacks
 * something is never complete.
 */
export function createBudgets(world: World): Judge {
  let longestMs = 0;

  function judgeBudget(budget: BudgetSettings, scrape: Scrape): readonly string[] {
    const { name } = budget;
    const sample = scrape.exposition
      .samples("aigateway_budget_spent_credits")
      .find(({ labels }) => labels["budget"] === name);
    const isComplete = scrape.exposition.value("aigateway_budget_complete", { budget: name }) === 1;
    if (!sample) return isComplete ? [`budget ${name} is complete without an amount`] : [];
    const spent = decimal(sample.text);
    const most = mostSpent(budget, scrape);
    if (spent > most) return [`budget ${name} has spent ${spent}, and the books ${most}`];
    return isComplete ? completeFaults(budget, spent, scrape) : [];
  }

  /** What the books have at the scrape; each file counts with the account that spent most. */
  function mostSpent(budget: BudgetSettings, { atMs }: Scrape): bigint {
    const { gateway } = world.settings();
    if ("keys" in budget) {
      const { window } = budget;
      if (window === "total") throw new Error("A budget of keys has no total");
      const spentBy = (number: number) => world.books.key({ gateway, number }, atMs).usage[window];
      const micros = members(budget).map(({ file }) =>
        Math.max(...world.files.tokens(file).map(({ account }) => spentBy(account))),
      );
      return micros.reduce((sum, one) => sum + ofMicros(one), 0n);
    }
    // The management key decides which account it is.
    const sums = accountsOf(gateway).map((ledger) =>
      world.books
        .pairs(ledger, rangeStart(budget.window, atMs), atMs)
        .filter(({ model }) => !("model" in budget) || model === budget.model)
        .reduce((sum, { micros }) => sum + ofMicros(micros), 0n),
    );
    return sums.reduce((one, other) => (one > other ? one : other), 0n);
  }

  function accountsOf(gateway: GatewayName): readonly GatewayName[] {
    const { analytics } = world.settings();
    const held = analytics ? world.files.tokens(analytics.file) : [];
    return held.some(({ account }) => account === FOREIGN) ? ["a", "b"] : [gateway];
  }

  function members(budget: BudgetSettings) {
    const { keys } = world.settings();
    if (!("keys" in budget)) return [];
    return budget.keys === "all" ? keys : keys.filter(({ name }) => budget.keys.includes(name));
  }

  function completeFaults(budget: BudgetSettings, spent: bigint, scrape: Scrape): readonly string[] {
    return "keys" in budget ? keyFaults(budget, spent, scrape) : queryFaults(budget, spent, scrape);
  }

  function keyFaults(budget: BudgetSettings, spent: bigint, { exposition, at }: Scrape): readonly string[] {
    let sum = 0n;
    for (const key of members(budget)) {
      const { name } = key;
      const shown = exposition
        .samples(`aigateway_key_usage_${budget.window}_credits`)
        .find(({ labels }) => labels["key"] === name);
      // Values are hidden some seconds before the end of their time to live, so that they never outlive it.
      if (!shown && isCurrent(key, at)) return [];
      if (!shown || exposition.value("aigateway_key_up", { key: name }) !== 1)
        return [`budget ${budget.name} is complete without ${name}`];
      sum += decimal(shown.text);
    }
    return sum === spent ? [] : [`budget ${budget.name} has spent ${spent}, and its keys show ${sum}`];
  }

  function isCurrent(key: KeySettings, at: number): boolean {
    const last = questionsAbout(world, key).findLast(
      ({ end, endedAt = Infinity }) => end === "good" && endedAt <= at,
    );
    return last !== undefined && at - last.at < 3 * longestMs;
  }

  function queryFaults(
    budget: Exclude<BudgetSettings, { keys: unknown }>,
    spent: bigint,
    { at, atMs }: Scrape,
  ): readonly string[] {
    const answers = usageAnswers(world, rangeStart(budget.window, atMs), at).filter(({ question }) =>
      isOfWindow(budget, question.asOfMs, atMs),
    );
    const isTrue = answers.some(({ usage: { rows, total, isGrouped, isPartial } }) => {
      if (!("model" in budget)) return ofMicros(total.micros) === spent;
      const matching = [...rows].filter(([pair]) => pair.startsWith(`${budget.model}|`));
      return (
        isGrouped &&
        !isPartial &&
        matching.reduce((sum, [, { micros }]) => sum + ofMicros(micros), 0n) === spent
      );
    });
    return isTrue ? [] : [`budget ${budget.name} is complete with ${spent}, which no whole answer has`];
  }

  return {
    scraped: (scrape) => {
      longestMs = Math.max(longestMs, intervalMs(scrape, "key"));
      return Math.abs(world.time.skewMs()) > 1000 || world.isApplying()
        ? []
        : world.settings().budgets.flatMap((budget) => judgeBudget(budget, scrape));
    },
  };
}

function isOfWindow({ window }: BudgetSettings, asOfMs: number, atMs: number): boolean {
  return window === "total" || windowStart(window, asOfMs) === windowStart(window, atMs);
}

/** The balance of the account is that of one answer, and the zeros that an ordinary key gets are never shown. */
export function createBalance(world: World): Judge {
  let longestMs = 0;

  function judge({ exposition, at }: Scrape): readonly string[] {
    const [bought, used, balance] = FAMILIES.map((family) => exposition.value(family));
    const shown = [bought, used, balance].filter((value) => value !== undefined);
    if (shown.length === 0) return [];
    const oldest = at - 3 * longestMs - SLACK_MS;
    const answers = accountAnswers(world, at, oldest).filter(({ account }) => isManagement(account));
    const isTrue = answers.some(
      ({ credits }) =>
        credits !== undefined &&
        bought === credits.bought / 1e6 &&
        used === credits.spent / 1e6 &&
        balance === (credits.bought - credits.spent) / 1e6,
    );
    return isTrue ? [] : [`the balance is ${bought} - ${used} = ${balance}: ${answers.length} answers`];
  }

  return {
    scraped: (scrape) => {
      longestMs = Math.max(longestMs, intervalMs(scrape, "account"));
      return judge(scrape);
    },
  };
}

const FAMILIES = ["bought", "used", "balance"].map((name) => `aigateway_account_${name}_credits`);
/** For a run that lasts, and for a suspended process that notices only after it resumes. */
const SLACK_MS = 40_000;

/**
 * Probes never spend more than the ceiling of a day since the start of the exporter and the last step of its clock. What
 * was spent before, the exporter only knows from the gateway, which reports it late.
 */
export function createProbeSpend(world: World): Judge {
  const charges: Question[] = [];
  /** The highest ceiling of a day. */
  const ceilings = new Map<number, number>();

  function charge(question: Question): readonly string[] {
    charges.push(question);
    const { perDay = 0 } = world.settings().probes ?? {};
    const day = windowStart("day", question.atMs);
    const ceiling = Math.max(ceilings.get(day) ?? 0, perDay);
    ceilings.set(day, ceiling);
    const since = Math.max(world.startedAt(), world.disturbedAt());
    const counted = charges.filter(({ at, atMs }) => at >= since && windowStart("day", atMs) === day);
    const spent = counted.filter(isWithinDay).reduce((sum, { costMicros = 0 }) => sum + costMicros, 0);
    // While the clock is wrong, the exporter cannot know which day it is.
    if (Math.abs(question.skewMs) > SKEW_MS || spent <= ceiling * 1e6) return [];
    return [`probes have spent ${spent / 1e6} of ${ceiling}`];
  }

  return { asked: (question) => (question.costMicros === undefined ? [] : charge(question)) };
}

/** The clocks may differ by this much, so a run this close to midnight may count on either day. */
const SKEW_MS = 1000;

function isWithinDay({ atMs }: Question): boolean {
  return [-SKEW_MS, SKEW_MS].every((ms) => windowStart("day", atMs + ms) === windowStart("day", atMs));
}
