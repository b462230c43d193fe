import type { ShortStory } from "./story.ts";

/** A defect that is put into a copy of the exporter, to prove that the world finds it. */
export interface Mutation {
  /** The invariant that it breaks. */
  readonly breaks: string;
  readonly what: string;
  /** Below `exporter/`. */
  readonly file: string;
  /** Occurs once in the file. */
  readonly from: string;
  readonly to: string;
  /** A story that finds it, if few stories of seeds do; then no seeds are searched. */
  readonly story?: ShortStory;
}

/** Each invariant is broken at least once. The first ones are defects that earlier versions had. */
export const MUTATIONS: readonly Mutation[] = [
  {
    breaks: "1 truth, 6 politeness",
    what: "a reload lets the polls of the former configuration end",
    file: "schedule/engine.ts",
    from: "await runs.abort((run) => !kept.has(run));",
    to: "",
  },
  {
    breaks: "2 turns",
    what: "the queue serves the latest job first",
    file: "schedule/run-queue.ts",
    from: "if (lines.size === 1) return first;",
    to: "return [...queued.values()].findLast(({ id }) => mayBegin(id)) ?? first;",
  },
  {
    breaks: "2 presence",
    what: "two refused keys pause the endpoint",
    file: "schedule/refusals.ts",
    from: "} else if (!state.isSuspect && concernsEndpoint(state, state.inRow, answeredSince(clock, intervalMs))) {",
    to: "} else if (state.refused.size >= SUSPICIOUS) {\n      state.pausedUntil = Math.max(state.pausedUntil, until);",
  },
  {
    breaks: "1 truth",
    what: "`cachedAt` is not looked at",
    file: "schedule/job-runner.ts",
    from: "asOfMs: Math.min(askedAtMs, computedAtMs),",
    to: "asOfMs: Math.max(askedAtMs, computedAtMs),",
  },
  {
    breaks: "1 truth",
    what: "the values of another gateway or secret survive a reload",
    file: "readings/readings.ts",
    from: "if (entries.get(id)?.identity === identity) return;",
    to: "if (entries.has(id)) return;",
  },
  {
    breaks: "1 truth",
    what: "the fragment of a secret survives a reload without `show_label`",
    file: "schedule/engine.ts",
    from: "else if (job.isRevealing === true && present.isRevealing !== true) readings.withdraw(job.id);",
    to: "",
  },
  {
    breaks: "3 recovery",
    what: "a target with nothing to show waits for its next poll",
    file: "schedule/backlog.ts",
    from: "if (group.isPaid || backoffMs >= intervals.of(group.name)) return;",
    to: "if (backoffMs > 0) return;",
  },
  {
    breaks: "2 presence",
    what: "the time to live follows the schedule, not what is achieved",
    file: "schedule/intervals.ts",
    from: "const achievedMs = Math.max(scheduledMs, presentMs, formerMs);",
    to: "const achievedMs = presentMs + formerMs < 0 ? 0 : scheduledMs;",
  },
  {
    breaks: "8 probe spend",
    what: "a clock step leaves the spend of the day uncounted",
    file: "probes/spend-guard.ts",
    from: "if (Math.abs(presentStartMs - knownStartMs) <= STEP_MS) return;",
    to: "if (Math.abs(presentStartMs - knownStartMs) >= 0) return;",
  },
  {
    breaks: "8 probe spend",
    what: "what another key has paid is forgotten",
    file: "probes/spend-ledger.ts",
    from: "steps >= (bases.get(payer)?.steps ?? 0);",
    to: "bases.size > 0 && payer === costs.at(-1)?.payer && steps >= (bases.get(payer)?.steps ?? 0);",
  },
  {
    breaks: "8 probe spend",
    what: "the ceiling is not looked at",
    file: "probes/spend-guard.ts",
    from: "if (!fits) return undefined;",
    to: "if (!fits && maxCostCredits < 0) return undefined;",
  },
  {
    breaks: "4 budgets",
    what: "a budget with a failing key is complete",
    file: "budgets/budget-status.ts",
    from: 'if (status.failure) return "failing";',
    to: "if (status.failure) return undefined;",
  },
  {
    breaks: "4 budgets",
    what: "a budget with a key that was not polled for too long is complete",
    file: "budgets/budget-status.ts",
    from: 'return status.up ? undefined : "old";',
    to: "return undefined;",
  },
  {
    breaks: "4 budgets",
    what: "a budget counts answers of before the settling",
    file: "time/window.ts",
    from: "return contains(window, askedAtMs) && askedAtMs >= window.startMs + SETTLE_MS;",
    to: "return contains(window, askedAtMs);",
  },
  {
    breaks: "4 budgets",
    what: "rows that the service leaves out leave a budget complete",
    file: "collectors/window-spend.ts",
    from: 'if (missing !== undefined && missing > 0) return { reason: "unlisted", credits: missing };',
    to: "",
  },
  {
    breaks: "5 sums",
    what: "the remainder is not shown",
    file: "collectors/breakdown.ts",
    from: "const exists = AMOUNTS.some((amount) => amounts[amount] !== undefined);",
    to: "const exists = AMOUNTS.every((amount) => amounts[amount] === -1);",
  },
  {
    breaks: "6 politeness",
    what: "the requests of an endpoint are not spaced",
    file: "schedule/rate-limiter.ts",
    from: "const readyAt = (wantedAt: number) => Math.max(lastAt + distanceMs, wantedAt);",
    to: "const readyAt = (wantedAt: number) => (lastAt > Infinity ? distanceMs : wantedAt);",
  },
  {
    breaks: "6 politeness",
    what: "a target does not rest",
    file: "schedule/refusals.ts",
    from: "if (leftMs === 0) rests.delete(id);\n    return leftMs;",
    to: "return 0 * leftMs;",
  },
  {
    breaks: "7 health",
    what: "a failed poll leaves a key up",
    file: "schedule/job-runner.ts",
    from: "up: false,",
    to: "up: true,",
  },
  {
    breaks: "7 health",
    what: "the lag is a minute too long",
    file: "schedule/engine.ts",
    from: "longestLag(table.ofGroup(name), intervals.of(name), clock.monotonic()),",
    to: "longestLag(table.ofGroup(name), intervals.of(name), clock.monotonic() + 60_000),",
  },
  {
    breaks: "7 health",
    what: "a label is written without escapes and quotes",
    file: "metrics/family.ts",
    from: "text: pairText(name, value) };",
    to: 'text: pairText(name, value).replaceAll(\'"\', "") };',
  },
  {
    breaks: "1 truth",
    what: "values outlive their window",
    file: "readings/view.ts",
    from: "const isRunning = (window: Window) => contains(window, wallMs);",
    to: "const isRunning = (window: Window) => contains(window, wallMs) || window.endMs > 0;",
  },
  {
    breaks: "1 truth",
    what: "values outlive their time to live",
    file: "readings/time-to-live.ts",
    from: "return isWithdrawn ? Number.NEGATIVE_INFINITY : timeToLiveMs(reading) - ageMs;",
    to: "return isWithdrawn ? Number.NEGATIVE_INFINITY : timeToLiveMs(reading) - ageMs / 3;",
  },
  {
    breaks: "1 truth",
    what: "a clock that was fast is not noticed",
    file: "readings/time-to-live.ts",
    from: "return backMs > STEP_MS ? backMs : 0;",
    to: "return backMs > Infinity ? backMs : 0;",
  },
  {
    breaks: "3 recovery",
    what: "a failed query of last month waits for an hour",
    file: "schedule/backlog.ts",
    from: "if (lastAnswerMs === undefined || lastAnswerMs !== lastAttemptMs) return true;",
    to: "if (lastAnswerMs === undefined || lastAttemptMs === undefined) return true;",
  },
  {
    breaks: "9 unwatched",
    what: "an answer that names unknown keys is used",
    file: "gateway/wire/usage-rows.ts",
    from: "warnings: warnings?.length ?? 0,",
    to: "warnings: Math.min(0, warnings?.length ?? 0),",
  },
  {
    breaks: "9 unwatched",
    what: "listed keys count as unwatched",
    file: "collectors/watched-keys.ts",
    from: "const others = listed.map(hashOf).filter((hash) => !names.has(hash));",
    to: 'const others = listed.map(hashOf).filter((hash) => !names.has(hash) && hash === "");',
  },
  {
    breaks: "9 unwatched",
    what: "a difference does not wait for newer readings of the keys",
    file: "collectors/unwatched-difference.ts",
    from: "const total = totals.until(window, oldestMs - SETTLE_MS);",
    to: "const total = totals.until(window, oldestMs + 100 * SETTLE_MS);",
  },
  {
    breaks: "10 balance",
    what: "the zeros that an ordinary key gets are shown",
    file: "gateway/account-credits.ts",
    from: 'if (!isManagement) return "unproved";',
    to: 'if (isManagement === undefined) return "unproved";',
  },
  {
    breaks: "5 sums",
    what: "queries by key and model have no total",
    file: "collectors/own-query.ts",
    from: "total: true,",
    to: "total: metrics.length > 99,",
  },
  {
    breaks: "5 sums",
    what: "credits contain BYOK",
    file: "gateway/wire/usage-rows.ts",
    from: "return total === undefined || !byokCredits ? total : decimalRest(total, [byokCredits]);",
    to: "return byokCredits === Infinity ? decimalRest(0, []) : total;",
  },
  {
    breaks: "11 listed keys",
    what: "a partial list withdraws the keys that it lacks",
    file: "collectors/discovery.ts",
    from: 'proves: failure ? "nothing" : isComplete ? "all" : "expired"',
    to: 'proves: failure ?? isComplete ? "all" : "expired"',
  },
  {
    breaks: "11 listed keys",
    what: "a key that was deleted remains",
    file: "schedule/members.ts",
    from: 'const isGone = proves === "all" || (proves === "expired" && !readings.isCurrent(id));',
    to: "const isGone = !readings.status(id);",
  },
  {
    breaks: "11 listed keys",
    what: "two keys with one title have one name",
    file: "collectors/key-directory.ts",
    from: "used.add(name);",
    to: "used.delete(name);",
  },
];
