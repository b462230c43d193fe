import type { ConfigFileInput } from "../../exporter/config/schema.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import type { ExpectedBudget } from "./budget-books.ts";

export const TEAMS = ["payments", "search", "chat"] as const;
export const MODELS = ["acme/one", "acme/two", "tiny/free", "large/deep"] as const;
export const APPS = ["Chat", "Batch", "Twin", null] as const;
/** The keys that are configured, by team. */
export const KEYS = TEAMS.flatMap((team) => [1, 2, 3, 4].map((number) => `${team}-${number}`));
/** Spends from the same account, but is not configured. */
export const UNWATCHED = "unwatched";
export const SINCE = Date.parse("2026-11-17T08:30:00Z");

type Budgets = NonNullable<ConfigFileInput["budgets"]>;

/** Gateway and exporter with one clock. Only the test spends credits. */
export async function startBudgetStage(start: number, budgets: readonly ExpectedBudget[]): Promise<TestApp> {
  return startTestApp({
    start,
    prepare: (gateway) => {
      for (const name of [...KEYS, UNWATCHED]) gateway.addKey({ name });
      // Two apps with one title.
      gateway.world.addApp("Twin");
      gateway.world.addApp("Twin");
    },
    keys: KEYS,
    analytics: true,
    content: () => ({
      keys: KEYS.map((name, index) => ({
        name,
        api_key_env: `KEY_${index}`,
        owner: { team: name.replace(/-\d$/, "") },
      })),
      // One pair is shown: budgets must be summed before pairs are folded.
      analytics: { management_key_env: "MANAGEMENT_KEY", top: 1 },
      schedule: { keys: "60s", analytics: "60s" },
      budgets: toEntries(budgets),
    }),
  });
}

export function toEntries(budgets: readonly ExpectedBudget[]): Budgets {
  return budgets.map(({ name, limit, window, since, scope, members, team }) => ({
    name,
    limit,
    window,
    ...(since !== undefined && { since: new Date(since).toISOString().replace(".000", "") }),
    ...scopeOf(scope, members, team),
  }));
}

function scopeOf(
  scope: ExpectedBudget["scope"],
  members: readonly string[],
  team: string | undefined,
): Pick<Budgets[number], "keys" | "model" | "app" | "account" | "team"> {
  const [first = ""] = members;
  switch (scope) {
    case "keys":
      if (team !== undefined) return { keys: { team } };
      return { keys: members.length === KEYS.length ? "all" : [...members] };
    case "model":
      return { model: first };
    case "app":
      return { app: first };
    case "account":
      return { account: true, ...(team !== undefined && { team }) };
  }
}

/**
 * Spends `count` times in the recent past, for every key, model and app, with amounts that binary fractions cannot
 * represent, and some refunds. Each run spends the same amounts.
 */
export function spendAtRandom({ gateway, clock }: TestApp, count: number, withinMs: number): void {
  const keys = [...KEYS, UNWATCHED];
  const twins = [...gateway.world.apps.values()].filter(({ title }) => title === "Twin");
  let state = 42;
  const random = (most: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * most);
  };
  for (let index = 0; index < count; index++) {
    const app = APPS[index % APPS.length] ?? null;
    gateway.spend({
      key: keys[random(keys.length)] ?? "",
      model: MODELS[random(MODELS.length)] ?? "",
      app: app === "Twin" ? (twins[random(twins.length)]?.id ?? null) : app,
      micros: random(20) === 0 ? -random(900_000) : random(3_000_001),
      // BYOK requests cost no credits.
      byokMicros: random(70_000),
      requests: 1,
      at: clock.now() - 1000 - random(withinMs),
      force: true,
    });
  }
}
