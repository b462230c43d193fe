import { ACCOUNT_KEYS, FOREIGN, isManagement } from "../account-keys.ts";
import { EXCLUDED } from "../config-text.ts";
import { calmAt } from "../troubles.ts";
import type { Judge, Scrape, World } from "../world.ts";

/** When the last fault has ended, everything about the account is shown again: keys, balance and unwatched spend. */
export function createAccountRecovery(world: World): Judge {
  function missingKeys({ exposition, atMs }: Scrape): readonly string[] {
    const { listing } = world.settings().analytics ?? {};
    if (!listing) return [];
    const infos = exposition.samples("aigateway_key_discovery_info").map(({ labels }) => labels);
    const wanted = new Map(
      world.keys
        .watched(atMs)
        .filter((key) => listing === "everywhere" || world.keys.workspace(key, atMs) === "w0")
        .map((key) => [world.files.listedHash(key).slice(0, DIGITS), world.keys.title(key, atMs)] as const)
        .filter(([, title]) => !(listing === "some" && HIDDEN.test(title))),
    );
    const isUp = (key = "") => exposition.value("aigateway_key_up", { key }) === 1;
    return [
      ...[...wanted]
        .filter(([hash, title]) => !infos.some((info) => info["hash"] === hash && info["api_key"] === title))
        .map(([, title]) => `${title} is not listed`),
      ...infos.flatMap(({ hash = "", key }) => (wanted.has(hash) ? [] : [`${key} is listed, but is gone`])),
      ...infos.flatMap(({ key, source }) => (source === "poll" || isUp(key) ? [] : [`${key} is not up`])),
    ];
  }

  function missingUnwatched({ exposition }: Scrape): readonly string[] {
    const accounts = world.settings().keys.map(({ file }) => world.files.tokens(file).at(-1)?.account ?? -1);
    const isKnown = accounts.every((account) => ACCOUNT_KEYS.includes(account));
    // Filters are rejected, or credits may contain BYOK.
    const isUnsure = world.story.events.some((event) =>
      event.do === "fault" ? event.what === "no_filter" || event.what === 400 : event.do === "metric",
    );
    const isShown = exposition.value("aigateway_unwatched_day_credits") !== undefined;
    return isShown || !isKnown || isUnsure ? [] : ["there is no unwatched spend"];
  }

  return {
    scraped: (scrape) => {
      const { analytics } = world.settings();
      const calm = calmAt(world, scrape);
      if (!analytics || !world.story.account || !calm || Math.abs(world.time.skewMs()) > 1000) return [];
      const manager = world.files.tokens(analytics.file).at(-1)?.account;
      if (!isManagement(manager) || manager === FOREIGN) return [];
      const quietMs = scrape.at - calm.since;
      const longMs = Math.max(calm.keys.upMs, calm.analytics.upMs);
      const missing = [
        ...(quietMs > longMs ? [...missingKeys(scrape), ...missingBalance(scrape)] : []),
        // It needs the keys first.
        ...(quietMs > 1.5 * longMs ? missingUnwatched(scrape) : []),
      ];
      return missing.map((message) => `${message} ${Math.round(quietMs / 1000)} s after the last trouble`);
    },
  };
}

const DIGITS = 8;
const HIDDEN = new RegExp(EXCLUDED);

function missingBalance({ exposition }: Scrape): readonly string[] {
  return exposition.value("aigateway_account_balance_credits") === undefined ? ["there is no balance"] : [];
}
