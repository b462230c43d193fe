import { isManagement } from "../account-keys.ts";
import { intervalMs } from "../intervals.ts";
import { accountAnswers } from "../shown-account.ts";
import type { Judge, Scrape, World } from "../world.ts";

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
