import type { KeyInformation } from "../../exporter/gateway/key-information.ts";
import type { Amounts, Gateway, Usage } from "../../exporter/gateway/port.ts";
import { WHOLE_ANSWER } from "../../exporter/gateway/usage.ts";

/**
 * A different kind of service: it identifies accounts by token, counts money in cents, and keeps a list of charges.
 */
export interface SecondService {
  readonly accounts: Readonly<Record<string, Account>>;
  readonly charges: readonly Charge[];
}

export interface Account {
  readonly hint: string;
  /** Null: no cap. */
  readonly capCents: number | null;
  readonly leftCents: number | null;
  readonly renews: "each_day" | "each_month" | "not";
  readonly spentCents: { readonly ever: number; readonly today: number; readonly month: number };
}

export interface Charge {
  readonly engine: string | null;
  readonly client: string | null;
  readonly at: number;
  readonly cents: number;
  readonly calls: number;
  readonly words: { readonly in: number; readonly out: number };
}

/** A second adapter of the port, which proves that only the adapter knows the wire format. */
export function createSecondGateway(service: SecondService): Gateway {
  return {
    clientFor: ({ permits, signal }) => {
      async function withPermit<T>(answer: () => T): Promise<T> {
        const permit = await permits.next(signal, "request");
        permit.release({ answered: true, throttled: false });
        return answer();
      }
      return {
        currentKey: async (secret) => {
          const token = (await secret.read()).reveal();
          return withPermit(() => informationOf(service.accounts[token]));
        },
        usage: ({ range, pairs, total }) =>
          withPermit(() => {
            const charges = service.charges.filter(({ at }) => range.startMs <= at && at < range.endMs);
            return usageOf(charges, pairs, total);
          }),
        usageSeries: () => Promise.reject(new Error("This service does not divide usage by time")),
        capabilities: () => Promise.resolve(undefined),
        accountKeys: () => Promise.reject(new Error("This service does not list its keys")),
        credits: () => Promise.resolve("unsupported"),
        transcribe: () => Promise.reject(new Error("This service cannot transcribe")),
      };
    },
    close: () => Promise.resolve(),
  };
}

const RENEWALS = { each_day: "daily", each_month: "monthly", not: "never" } as const;
const NO_SPEND = { total: undefined, day: undefined, week: undefined, month: undefined };

function informationOf(account: Account | undefined): KeyInformation {
  if (!account) throw new Error("This service does not know the token");
  const { hint, capCents, leftCents, renews, spentCents } = account;
  return {
    label: hint,
    limitCredits: capCents === null ? null : capCents / 100,
    limitReset: RENEWALS[renews],
    remainingCredits: leftCents === null ? null : leftCents / 100,
    byokInLimit: undefined,
    usage: {
      total: spentCents.ever / 100,
      day: spentCents.today / 100,
      week: undefined,
      month: spentCents.month / 100,
    },
    byokUsage: NO_SPEND,
    freeTier: undefined,
    expiresAtMs: undefined,
    freeRequests: { limit: undefined, used: undefined, remaining: undefined },
  };
}

function usageOf(charges: readonly Charge[], withPairs: boolean, withTotal: boolean): Usage {
  const groups = Map.groupBy(charges, ({ engine, client }) => JSON.stringify([engine, client]));
  const pairs = [...groups.values()].map((group) => ({
    model: group[0]?.engine ?? null,
    app: group[0]?.client ?? null,
    amounts: amountsOf(group),
    rates: { cacheHitRatio: undefined, latencyAvgSeconds: undefined, latencyP90Seconds: undefined },
  }));
  return {
    pairs: withPairs ? pairs : [],
    total: withTotal ? { amounts: amountsOf(charges), empty: charges.length === 0 } : undefined,
    creditsSource: "total",
    rows: withPairs ? pairs.length : 1,
    ...WHOLE_ANSWER,
  };
}

function amountsOf(charges: readonly Charge[]): Amounts {
  const sum = (value: (charge: Charge) => number) =>
    charges.reduce((total, charge) => total + value(charge), 0);
  return {
    credits: sum(({ cents }) => cents) / 100,
    byokCredits: undefined,
    requests: sum(({ calls }) => calls),
    tokens: sum(({ words }) => words.in + words.out),
    promptTokens: sum(({ words }) => words.in),
    completionTokens: sum(({ words }) => words.out),
    reasoningTokens: undefined,
  };
}
