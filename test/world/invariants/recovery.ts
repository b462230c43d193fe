import { isManagement } from "../account-keys.ts";
import { keyValues } from "../shown-keys.ts";
import { endOf, type FaultKind, type KeySettings } from "../story.ts";
import { calmAt } from "../troubles.ts";
import type { Judge, Scrape, World } from "../world.ts";

/** When the last fault has ended, everything is shown again within two polling intervals, and soon if it was short. */
export function createRecovery(world: World): Judge {
  function missingOf({ name, file }: KeySettings, { exposition, atMs }: Scrape): readonly string[] {
    const { gateway } = world.settings();
    const number = world.files.tokens(file).at(-1)?.account ?? file;
    const wanted = keyValues(world.books.key({ gateway, number }, atMs), atMs).map(({ family }) => family);
    return wanted
      .filter((family) => exposition.value(family, { key: name }) === undefined)
      .map((family) => `${family} of ${name} is missing`);
  }

  function queriesToShow(at: number): readonly string[] {
    const { analytics } = world.settings();
    if (!analytics || !hasManagementKey()) return [];
    const queries = [...QUERIES, ...(analytics.queries ? ["keys-day", "keys-month"] : [])];
    return queries.filter((query) => query !== "last_month" || !wasRejected(at));
  }

  function isByokKnown(): boolean {
    return world.story.account !== undefined && world.story.events.every(({ do: what }) => what !== "metric");
  }

  function isExpired({ file }: KeySettings): boolean {
    const account = world.files.tokens(file).at(-1)?.account ?? file;
    return world.keys.accepted(account, world.time.trueMs()) === undefined;
  }

  /** With an ordinary key there are no analytics. */
  function hasManagementKey(): boolean {
    const { analytics } = world.settings();
    return analytics !== undefined && isManagement(world.files.tokens(analytics.file).at(-1)?.account);
  }

  function missingQueries({ exposition, at }: Scrape): readonly string[] {
    return queriesToShow(at)
      .filter(
        (query) => exposition.value("aigateway_analytics_data_timestamp_seconds", { query }) === undefined,
      )
      .map((query) => `the data of query ${query} are missing`);
  }

  function downQueries({ exposition, at }: Scrape): readonly string[] {
    return queriesToShow(at)
      .filter((query) => exposition.value("aigateway_analytics_up", { query }) !== 1)
      .map((query) => `query ${query} is not up`);
  }

  /** A request that the service rejects is repeated at its own interval only, which is an hour. */
  function wasRejected(at: number): boolean {
    return world.story.events.some(
      (event) =>
        event.do === "fault" &&
        event.endpoint === "analytics" &&
        REJECTIONS.has(event.what) &&
        at < endOf(event) * 1000 + 2 * HOUR_MS,
    );
  }

  /** What a former secret spent is missing until the window ends; a key that has expired is refused. */
  function hasEnded(): boolean {
    return world.story.events.some(
      (event) => event.do === "rotate" || (event.do === "key" && event.change === "expire"),
    );
  }

  /** A service that does not report BYOK, or has not done so for long, may count it as credits. */
  function incompleteBudgets({ exposition }: Scrape): readonly string[] {
    return world
      .settings()
      .budgets.filter((budget) => ("keys" in budget ? !hasEnded() : isByokKnown() && hasManagementKey()))
      .flatMap((budget) =>
        exposition.value("aigateway_budget_complete", { budget: budget.name }) === 1
          ? []
          : [`budget ${budget.name} is incomplete`],
      );
  }

  return {
    scraped: (scrape) => {
      const calm = calmAt(world, scrape);
      if (!calm || Math.abs(world.time.skewMs()) > 1000) return [];
      const quietMs = scrape.at - calm.since;
      const after = ` ${Math.round(quietMs / 1000)} s after the last trouble`;
      const { keys, analytics } = calm;
      const valid = world.settings().keys.filter((key) => !isExpired(key));
      const missing = [
        ...(quietMs > keys.shownMs ? valid.flatMap((key) => missingOf(key, scrape)) : []),
        ...(quietMs > keys.upMs ? downKeys(valid, scrape) : []),
        ...(quietMs > analytics.shownMs ? missingQueries(scrape) : []),
        ...(quietMs > analytics.upMs ? downQueries(scrape) : []),
        ...(quietMs > Math.max(keys.upMs, analytics.upMs) ? incompleteBudgets(scrape) : []),
      ];
      return missing.map((message) => message + after);
    },
  };
}

function downKeys(keys: readonly KeySettings[], { exposition }: Scrape): readonly string[] {
  return keys.flatMap(({ name }) =>
    exposition.value("aigateway_key_up", { key: name }) === 1 ? [] : [`${name} is not up`],
  );
}

const HOUR_MS = 3_600_000;
const REJECTIONS: ReadonlySet<FaultKind> = new Set([400, 404]);

const QUERIES = ["day", "last_day", "month", "last_month"];
