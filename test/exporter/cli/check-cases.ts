import type { Gateway } from "../../gateway/gateway.ts";
import { type CheckCases, NOON, queries, type Stage, WORKSPACE } from "./online-stage.ts";
import { OTHER_SERVICES } from "./other-services.ts";

const DAY_MS = 86_400_000;

/** The gateway itself, with one thing wrong. */
const gateway = (stage: Stage | ((gateway: Gateway) => void)) => (): Stage =>
  typeof stage === "function" ? { prepare: stage } : stage;
const refusing = (status: number, fault: object) =>
  gateway(
    ({ faults }) => void faults.add({ kind: "status", status, endpoint: "key", key: "billing", ...fault }),
  );
const limit = (source: string, message: string) => ({ message, metadata: { limit_source: source } });

/** What may be wrong with a gateway or a configuration. A title that begins with `#` is a heading. */
export const CHECK_CASES: CheckCases = [
  ["Everything works", gateway({})],
  ...OTHER_SERVICES,
  ["# Keys"],
  ["A wrong secret", gateway({ tokens: new Map([["billing", "sk-wrong"]]) })],
  [
    "Every secret is of another service",
    gateway({
      tokens: new Map([
        ["billing", "sk-wrong-1"],
        ["search", "sk-wrong-2"],
      ]),
      managementKey: "sk-wrong-3",
    }),
  ],
  [
    "A disabled key, which the list shows",
    gateway((one) => void one.addKey({ name: "off", disabled: true })),
  ],
  ["An expired key", gateway((one) => void one.addKey({ name: "old", expiresAt: NOON - 1 }))],
  [
    "An expired key, which only the list shows",
    gateway((one) => {
      one.addKey({ name: "old", expiresAt: NOON - 1 });
      const message = "Missing or unknown API key";
      one.faults.add({ kind: "status", status: 401, endpoint: "key", key: "old", message });
    }),
  ],
  ["An ordinary key as management key", gateway({ managementKey: "ordinary" })],
  ["An unknown management key", gateway({ managementKey: "sk-wrong" })],
  ["A management key among the keys", gateway((one) => void one.addKey({ name: "root", management: true }))],
  [
    "A management key, which may not read its usage",
    refusing(403, { message: "A management key cannot do this" }),
  ],
  ["A key may not read its usage", refusing(403, { message: "Not permitted" })],
  [
    "A key of another account",
    gateway(({ faults }) => {
      const row = { hash: "0".repeat(64), name: "theirs", label: "", disabled: false, limit: null, usage: 0 };
      faults.add({
        kind: "body",
        endpoint: "keys",
        parameter: "offset=0",
        body: JSON.stringify({ data: [row] }),
      });
    }),
  ],
  [
    "The key's own limit is used up, 403",
    refusing(403, limit("openrouter_key_limit", "Key limit exceeded (monthly limit)")),
  ],
  [
    "The key's own limit is used up, 402 in words",
    refusing(402, { message: "This key has exceeded its limit" }),
  ],
  [
    "A guardrail's budget is used up",
    refusing(403, limit("openrouter_guardrail_budget", "Guardrail budget exceeded")),
  ],
  ["A workspace's budget is used up", refusing(403, limit("openrouter_workspace_budget", "Budget exceeded"))],
  ["Too much in flight", refusing(402, limit("openrouter_in_flight_budget", "Too many requests in flight"))],
  ["The account is empty", refusing(402, limit("openrouter_credits", "Insufficient credits"))],
  [
    "The account is empty, and every key is refused",
    gateway(
      ({ faults }) =>
        void faults.add({
          kind: "status",
          status: 402,
          endpoint: "key",
          ...limit("openrouter_credits", "Insufficient credits"),
        }),
    ),
  ],
  [
    "LiteLLM's budget, 400",
    refusing(400, { message: "Budget has been exceeded! Current cost: 3, Max budget: 2" }),
  ],
  ["# Requests"],
  ["The keys are rate-limited", refusing(429, { message: "Rate limit exceeded", retryAfterSeconds: 1 })],
  [
    "The analytics are rate-limited",
    gateway(
      ({ faults }) =>
        void faults.add({ kind: "status", status: 429, endpoint: "analytics", message: "Slow down" }),
    ),
  ],
  [
    "The gateway is failing",
    gateway(({ faults }) => void faults.add({ kind: "status", status: 503, message: "Down" })),
  ],
  [
    "One request is slow",
    gateway(
      ({ faults }) => void faults.add({ kind: "status", status: 408, endpoint: "meta", message: "Too slow" }),
    ),
  ],
  [
    "One request is not permitted",
    gateway(
      ({ faults }) =>
        void faults.add({ kind: "status", status: 403, endpoint: "credits", message: "Not in your plan" }),
    ),
  ],
  [
    "There is no list of keys, nor credits",
    gateway({ options: { switches: { missingOperations: ["keys", "credits", "meta"] } } }),
  ],
  [
    "There are keys, and nothing else",
    gateway({ options: { switches: { missingOperations: ["keys", "credits", "meta", "analytics"] } } }),
  ],
  [
    "A workspace that was deleted",
    gateway({
      content: { discovery: { workspaces: [WORKSPACE] } },
      prepare: ({ faults }) =>
        void faults.add({
          kind: "status",
          status: 404,
          endpoint: "keys",
          parameter: `workspace_id=${WORKSPACE}`,
          message: "No such workspace",
        }),
    }),
  ],
  ["A query with a misspelt dimension", gateway({ content: queries({ dimensions: ["modle"] }) })],
  [
    "A query that reaches too far",
    gateway({ options: { switches: { reachDays: 20 } }, content: queries({}) }),
  ],
  ["# Figures that would be missing"],
  [
    "A budget for a model that does not exist",
    gateway({
      content: { budgets: [{ name: "chat", limit: 5, window: "month", model: "acme/oen" }] },
      prepare: (one) =>
        void one.spend({
          key: "billing",
          model: "acme/one",
          app: "Desk",
          micros: 1_000_000,
          at: NOON - 30 * DAY_MS,
        }),
    }),
  ],
  [
    "A budget for a provider with a typing error",
    gateway({
      content: { budgets: [{ name: "chat", limit: 5, window: "month", provider: "Acmee Cloud" }] },
      prepare: (one) =>
        void one.spend({ key: "billing", model: "acme/one", app: "Desk", provider: "Acme Cloud", micros: 9 }),
    }),
  ],
  [
    "A budget that begins later",
    gateway({
      content: {
        budgets: [{ name: "next", limit: 1, window: "total", since: "2026-12-01", account: true }],
      },
    }),
  ],
  [
    "A filter for a key that does not exist",
    gateway({
      content: queries({ filters: [{ field: "api_key_id", in: ["0".repeat(64)] }] }),
    }),
  ],
  [
    "A metric that the gateway lacks",
    gateway({
      options: { switches: { missingMetrics: ["reasoning_tokens"] } },
      content: queries({ metrics: ["reasoning_tokens"] }),
    }),
  ],
  [
    "Two names for one secret",
    gateway(({ tokens }) => void tokens.set("search", tokens.get("billing") ?? "")),
  ],
  [
    "A key whose label is its secret",
    gateway({
      content: { keys: [{ name: "billing", api_key_env: "KEY_0", show_label: true }] },
      prepare: ({ faults, tokens }) =>
        void faults.add({
          kind: "fields",
          endpoint: "key",
          set: { "data.label": tokens.get("billing") },
        }),
    }),
  ],
  [
    "A row of the list without a hash",
    gateway(({ faults }) => void faults.add({ kind: "fields", endpoint: "keys", remove: ["data.0.hash"] })),
  ],
  [
    "A row of a query that cannot be read",
    gateway((one) => {
      for (const days of [1, 30])
        one.spend({ key: "billing", model: "acme/one", app: "Desk", micros: 9, at: NOON - days * DAY_MS });
      one.faults.add({ kind: "fields", endpoint: "analytics", set: { "data.data.0": 5 } });
    }),
  ],
  ["A gateway whose clock is an hour ahead", gateway((one) => one.clock.set(NOON + 3_600_499))],
  [
    "A schedule that is too fast for the pace",
    gateway({
      gateway: { requests_per_minute: 60 },
      content: { schedule: { keys: "1s" } },
    }),
  ],
  [
    "A schedule with days of the month and of the week",
    gateway({ content: { schedule: { keys: "* * 1 * 1" } } }),
  ],
  [
    "More shards than keys",
    gateway({
      content: { shards: 3, analytics: undefined, discovery: undefined },
      environment: { AIGATEWAY_EXPORTER_POD_INDEX: "1" },
    }),
  ],
  ["More series than series_limit", gateway({ content: { series_limit: 1 } })],
];
