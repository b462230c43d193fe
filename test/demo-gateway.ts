import { createGateway, type Gateway } from "./gateway/gateway.ts";
import { monthStart } from "./gateway/windows.ts";

/** Keys that are disabled, out of credits, and about to run out. */
const [DISABLED, SPENT, RUNNING_OUT] = ["onboarding", "web", "ops"];

/** Apps in addition to those of the simulation, each with its key and model. */
const APPS = [
  { key: "data-science", model: "cobalt/reasoner-1", app: "Notebook Copilot", micros: 260_000 },
  { key: "recommendations", model: "aurora/mini-1", app: "Product Texts", micros: 90_000 },
  { key: "mobile", model: "aurora/large-1", app: "Travel Assistant", micros: 140_000 },
  { key: "support-bot", model: "cobalt/pro-1", app: "Escalations", micros: 310_000 },
];

/** A key in a workspace that nobody lists, whose secret nobody has configured. */
const UNWATCHED = { key: "contractor", workspace: "3f0c9a52-6d1e-4b87-9c55-1a2b3c4d5e6f" };

/** Keys of one member, whose budget they share. */
const SHARED = ["data-science", "translate"];

/** Speech-to-text models: a good one, and one that is slow and omits words. */
export const [GOOD_EARS, POOR_EARS] = ["cobalt/ears-1", "fjord/ears-mini"];

/** Covers the whole of last month and this month. */
const HISTORY_DAYS = 62;
const HOUR_MS = 3_600_000;

/** A simulated gateway with two months of spending and sixteen keys of every kind. */
export function createDemoGateway(): Gateway {
  const gateway = createGateway({
    keys: 16,
    models: 12,
    apps: 2,
    troubled: false,
    historyDays: HISTORY_DAYS,
  });
  const now = Date.now();
  gateway.addKey({ name: UNWATCHED.key, workspace: UNWATCHED.workspace });
  gateway.tokens.delete(UNWATCHED.key);
  for (let at = now - HISTORY_DAYS * 24 * HOUR_MS; at < now; at += 2 * HOUR_MS) {
    for (const use of APPS) gateway.spend({ ...use, at, promptTokens: 9000, completionTokens: 2500 });
    gateway.spend({ key: UNWATCHED.key, model: "cobalt/pro-1", app: null, at, micros: 120_000 });
  }
  // Ensures that the month has spend even on its first day.
  gateway.spend({ key: "checkout", model: "cobalt/pro-1", app: "Checkout", micros: 10_000_000 });
  gateway.manners.change({ latencyMs: 400 }, GOOD_EARS);
  gateway.manners.change({ latencyMs: 1100, deletedWords: 4, confidence: 0.61 }, POOR_EARS);
  gateway.disable(DISABLED);
  useUp(gateway, SPENT);
  const shared = SHARED.reduce((sum, key) => sum + gateway.books.key(key).micros.usage.month, 0);
  gateway.switches.keyBudgets = true;
  gateway.setBudget({
    scope: "member",
    keys: SHARED,
    micros: Math.ceil(shared / 0.8 / 1e7) * 1e7,
    reset: "monthly",
  });
  return gateway;
}

/** Budgets that match the spend: one well below its limit, one of a team that is nearly spent, and a prepaid balance. */
export function demoBudgets(gateway: Gateway, team: string, members: readonly string[]) {
  const monthly = members.reduce((sum, key) => sum + gateway.books.key(key).credits.usage.month, 0);
  const since = monthStart(Date.now(), -1);
  const bought = gateway.books.analytics({ start: since, end: Date.now() }).total.numbers.credits_usage;
  return [
    { name: "reasoning", limit: 80, window: "week", model: "Cobalt: Reasoner 1", team: "research" },
    { name: `${team}-month`, limit: Math.ceil(monthly / 0.92), window: "month", keys: { team } },
    {
      name: "prepaid",
      limit: Math.ceil(bought / 0.7 / 500) * 500,
      window: "total",
      since: new Date(since).toISOString().slice(0, 10),
      account: true,
      team: "platform",
    },
  ] as const;
}

/** The key that pays only for the probes. */
const EARS_KEY = "ears";

/** Two probes that cost a few hundredths of a cent per run, one of which fails. Adds the key that pays for them. */
export function demoProbes(gateway: Gateway) {
  gateway.addKey({ name: EARS_KEY, limitMicros: 20_000_000, limitReset: "monthly" });
  const probe = { key: EARS_KEY, response_format: "verbose_json", schedule: "30s", timeout: "5s" } as const;
  return {
    probes: [
      { ...probe, name: "good-ears", model: GOOD_EARS, expected_language: "en" },
      { ...probe, name: "poor-ears", model: POOR_EARS },
    ],
    probe_spend: { max_cost_per_day: 6, max_cost_per_probe: 0.001 },
  };
}

/** Lowers the limit to whole credits and spends the rest of it. */
function useUp(gateway: Gateway, key: string): void {
  const used = usedMicros(gateway, key);
  const limit = Math.max(1, Math.ceil(used / 1e6)) * 1e6;
  gateway.setLimit(key, limit);
  gateway.spend({ key, model: "fjord/large-1", app: "Landing Pages", micros: limit - used });
}

function usedMicros(gateway: Gateway, key: string): number {
  const { limit, remaining } = gateway.books.key(key).micros;
  return (limit ?? 0) - (remaining ?? 0);
}

/** Keeps the demo moving: constant spend, a key that runs out of credits, a key that fails. */
export function enliven(gateway: Gateway): () => void {
  const quiet = [DISABLED, SPENT, EARS_KEY];
  const names = [...gateway.tokens.keys()].filter((key) => !quiet.includes(key));
  let turn = 0;
  const act = () => {
    const key = names[turn % names.length] ?? RUNNING_OUT;
    spendOne(gateway, key, turn);
    if (turn % 4 === 0)
      gateway.spend({ key: RUNNING_OUT, model: "ember/nano-1", app: "Alerts", micros: 15_000 });
    // Raises the limit of this key every few minutes.
    if (turn % 600 === 0) raiseLimit(gateway);
    if (turn % 120 === 40) fail(gateway, names[Math.floor(turn / 40) % names.length] ?? RUNNING_OUT, turn);
    if (turn % 120 === 100) gateway.faults.clear();
    turn += 1;
  };
  const timer = setInterval(act, 400);
  return () => clearInterval(timer);
}

/** Raises the limit to the next half credit, enough for a minute or two. */
function raiseLimit(gateway: Gateway): void {
  const least = usedMicros(gateway, RUNNING_OUT) + 500_000;
  gateway.setLimit(RUNNING_OUT, Math.ceil(least / 500_000) * 500_000);
}

/** Sends a request that costs little of the key's limit, so that it lasts for hours; a free request for free-tier keys. */
function spendOne(gateway: Gateway, key: string, turn: number): void {
  const { freeTier, limitMicros } = gateway.world.key(key);
  const models = [...gateway.world.models.values()].filter(({ free }) => free === freeTier);
  const model = models[turn % models.length]?.id ?? "aurora/mini-1";
  const app = [...gateway.world.apps.values()][turn % 3]?.id ?? null;
  const most = Math.min(50_000, Math.floor((limitMicros ?? 100_000_000) / 2000));
  const micros = freeTier ? 0 : Math.floor(most * (0.4 + 0.6 * Math.random()));
  gateway.spend({ key, model, app, micros, promptTokens: 1200, completionTokens: 300 });
}

function fail(gateway: Gateway, key: string, turn: number): void {
  gateway.faults.add(
    turn % 240 === 40
      ? { kind: "status", status: 503, message: "No instance has room at the moment", key }
      : { kind: "body", body: "<!doctype html>", contentType: "text/html", key },
  );
}
