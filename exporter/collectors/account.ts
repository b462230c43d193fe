import type { AccountConfig, AnalyticsConfig, Config, QueryConfig } from "../config/config.ts";
import { decimalRest } from "../metrics/decimal-sum.ts";
import { sample, seconds } from "../metrics/family.ts";
import type { Job } from "../schedule/job.ts";
import { DAY_MS } from "../time/window.ts";
import { accountFamilies as families } from "./account-families.ts";
import { accountJob, type Collector } from "./collector.ts";
import { nearestName } from "../nearest-name.ts";
import { labelText, shownLabel } from "../metrics/label-text.ts";

/** The balance of the account, and what its analytics can be asked for. */
export const accountCollector: Collector = {
  name: "account",
  schedule: "analytics",
  families: Object.values(families),
  lastSuccess: families.lastSuccess,
  cadence: (family, intervalMs) => {
    const ms = family === families.capabilities ? Math.max(intervalMs, DAY_MS) : intervalMs;
    return `${ms / 1000} s`;
  },
  jobs: ({ gateway, analytics, account }) =>
    analytics ? [creditsJob(analytics, gateway, account), capabilitiesJob(analytics, gateway)] : [],
};

function creditsJob(analytics: AnalyticsConfig, gateway: Config["gateway"], account?: AccountConfig): Job {
  const { topUp, lowBalance } = account ?? {};
  return {
    ...accountJob("account", "credits", analytics, gateway),
    endpoint: "account",
    fingerprint: JSON.stringify([topUp, lowBalance]),
    title: "the account's credits",
    constants: sample(families.lowBalance, {}, lowBalance),
    run: async (client) => {
      const credits = await client.credits(analytics.managementKey);
      if (credits === "unsupported") return { samples: [], isUnanswered: true };
      if (credits === "unproved") {
        const warning = "the balance is not shown, because the management key is not accepted as one";
        return { samples: [], isUnanswered: true, warning };
      }
      const { boughtCredits, usedCredits } = credits;
      return {
        value: { kind: "credits", ...credits, ...(topUp && { topUp }) },
        samples: [
          ...sample(families.bought, {}, boughtCredits),
          ...sample(families.used, {}, usedCredits),
          ...sample(families.balance, {}, decimalRest(boughtCredits, [usedCredits])),
        ],
      };
    },
    describe: ({ lastSuccessMs }) => sample(families.lastSuccess, {}, seconds(lastSuccessMs)),
  };
}

function capabilitiesJob(analytics: AnalyticsConfig, gateway: Config["gateway"]): Job {
  return {
    ...accountJob("account", "capabilities", analytics, gateway),
    endpoint: "account",
    fingerprint: JSON.stringify(analytics.queries),
    title: "the capabilities of the analytics",
    minIntervalMs: DAY_MS,
    run: async (client) => {
      const capabilities = await client.capabilities(analytics.managementKey);
      if (!capabilities) return { samples: [], isUnanswered: true };
      const { metrics, dimensions, granularities } = capabilities;
      const counts = {
        metrics: `${metrics.length}`,
        dimensions: `${dimensions.length}`,
        granularities: `${granularities.length}`,
      };
      return {
        samples: sample(families.capabilities, counts, 1),
        warning: warningOf(analytics.queries, dimensions),
      };
    },
  };
}

/** Names that the service does not list. It is asked nevertheless, because it decides. */
function warningOf(queries: readonly QueryConfig[], known: readonly string[]): string | undefined {
  const misses = queries.flatMap(({ name, dimensions, classifier, filters }) =>
    // The names of tags are those of the classifier.
    [
      ...dimensions.filter((one) => !classifier?.dimensions.includes(one)),
      ...filters.map(({ field }) => field),
    ]
      .filter((dimension) => !known.includes(dimension))
      .map((dimension) => {
        const nearest = nearestName(dimension, known);
        const advice =
          nearest === undefined ? "" : `; the nearest one is "${shownLabel(labelText(nearest))}"`;
        return `query "${name}" names the dimension "${dimension}", which the gateway does not list${advice}`;
      }),
  );
  return misses.length > 0 ? misses.join("; ") : undefined;
}
