import { EXCLUDED } from "../config-text.ts";
import type { KeyRow, Question } from "../questions.ts";
import {
  KEY_VALUE_FAMILIES,
  keyValues,
  isRunning,
  accountAnswers,
  type AnsweredPage,
  lastListing,
  listedAt,
  pagesOf,
} from "../shown-keys.ts";
import type { Judge, Scrape, World } from "../world.ts";
import { intervalMs } from "../exporter-state.ts";

/**
 * A key that is shown without its secret is in an answer of the gateway, under its name there and with its figures. A key
 * that a whole list contained stays for its time to live, whatever later lists lack.
 */
export function createListedKeys(world: World): Judge {
  let longestMs = 0;
  /** The interval at the scrape before. */
  let formerMs = Number.POSITIVE_INFINITY;

  function judge(scrape: Scrape): readonly string[] {
    const { exposition, at } = scrape;
    const infos = exposition.samples("aigateway_key_discovery_info").map(({ labels }) => labels);
    const isListing = world.settings().analytics?.listing !== undefined;
    if (!isListing) return infos.map(({ key }) => `key ${key} is listed, which is not configured`);
    const pages = pagesOf(accountAnswers(world, at));
    const rows = rowsOf(pages);
    const published = pages.filter(({ question }) => (question.endedAt ?? at) <= at - PUBLISHED_MS);
    const namedAt = listedAt(lastListing(published));
    return [
      ...doubles(infos.map(({ key = "" }) => key)).map((key) => `two keys have the name ${key}`),
      ...infos.flatMap((info) => infoFaults(info, rows.get(info["hash"] ?? "") ?? [], namedAt)),
      ...infos.flatMap((info) =>
        info["source"] === "listing" ? figureFaults(info, rows.get(info["hash"] ?? "") ?? [], scrape) : [],
      ),
      ...missingKeys(pages, scrape),
    ];
  }

  /** `namedAt`: when the last whole list was asked for. */
  function infoFaults(info: Labels, seen: readonly Seen[], namedAt: number): readonly string[] {
    const { key = "", api_key: title = "", hash = "", source } = info;
    const last = seen.findLast(({ row }) => row.title === title);
    if (!last) return [`${key} is listed as ${title} with ${hash}, which no list contains`];
    const owner = world
      .settings()
      .keys.find(({ file }) => world.files.tokens(file).some(({ token }) => isOf(token, last.row.hash)));
    const names = namesOf(title, hash);
    // After a reload, keys have the names of the former configuration until the end of the next list.
    if (namedAt <= world.settingsSince()) return [];
    const isRight = source === "poll" ? owner?.name === key : names.includes(key) && isFree(key);
    return isRight ? [] : [`${title} with ${hash} is shown as ${key} from the ${source}`];
  }

  function isOf(token: string, hash: string): boolean {
    return world.files.hashOf(token) === hash;
  }

  function isFree(name: string): boolean {
    return world.settings().keys.every((key) => key.name !== name);
  }

  function figureFaults({ key = "" }: Labels, seen: readonly Seen[], scrape: Scrape): readonly string[] {
    const { exposition, at, atMs } = scrape;
    const oldest = at - 3 * longestMs - SLACK_MS;
    const values = seen
      .filter(({ question }) => question.at >= oldest)
      .flatMap(({ question, row }) => valuesOf(question, row));
    return KEY_VALUE_FAMILIES.flatMap((family) => {
      const shown = exposition.value(family, { key });
      const isTrue = values.some(
        (one) => one.family === family && one.value === shown && isRunning(world, one.windowEndMs, atMs),
      );
      return shown === undefined || isTrue ? [] : [`${family} of the listed ${key} is ${shown}`];
    });
  }

  function valuesOf({ ledger, asOfMs }: Question, { key }: KeyRow) {
    return keyValues(world.books.key({ gateway: ledger, number: key }, asOfMs), asOfMs);
  }

  /** The keys of the last whole list that still exist, and nevertheless are not shown. */
  function missingKeys(pages: readonly AnsweredPage[], scrape: Scrape): readonly string[] {
    const { exposition, at, atMs } = scrape;
    const listing = lastListing(
      pages.filter(({ question }) => (question.endedAt ?? at) <= at - PUBLISHED_MS),
    );
    const asked = listedAt(listing);
    // What expired before the interval grew does not come back.
    const shortMs = Math.min(formerMs, intervalMs(scrape, "discovery"));
    const isDisturbed = Math.max(world.settingsSince(), world.startedAt(), world.disturbedAt()) >= asked;
    if (isDisturbed || world.time.skewMs() !== 0 || at - asked > 3 * shortMs - EARLY_MS) return [];
    const existing = new Set(world.keys.stayed(atMs - (at - asked), atMs));
    const infos = exposition.samples("aigateway_key_discovery_info").map(({ labels }) => labels);
    const rows = listing
      .flatMap(({ page }) => page.rows)
      .filter(({ key, hash }) => existing.has(key) && world.files.listedHash(key) === hash);
    return rows.flatMap(({ hash, title }) => {
      if (isExcluded(title)) return [];
      const info = infos.find((labels) => hash.startsWith(labels["hash"] ?? "?"));
      if (!info) return [`${title} is not shown, although a whole list contained it`];
      const isShown = exposition.value("aigateway_key_unlimited", { key: info["key"] ?? "" }) !== undefined;
      return isShown || info["source"] === "poll" ? [] : [`${title} has no values`];
    });
  }

  function isExcluded(title: string): boolean {
    return world.settings().analytics?.listing === "some" && new RegExp(EXCLUDED).test(title);
  }

  return {
    scraped: (scrape) => {
      longestMs = Math.max(longestMs, intervalMs(scrape, "discovery"));
      const found = world.isApplying() ? [] : judge(scrape);
      formerMs = intervalMs(scrape, "discovery");
      return found;
    },
  };
}

type Labels = Readonly<Record<string, string>>;

interface Seen {
  readonly question: Question;
  readonly row: KeyRow;
}

/** By the first digits of the hash. */
function rowsOf(pages: readonly AnsweredPage[]): ReadonlyMap<string, readonly Seen[]> {
  const rows = pages.flatMap(({ question, page }) => page.rows.map((row) => ({ question, row })));
  return Map.groupBy(rows, ({ row }) => row.hash.slice(0, DIGITS));
}

/** The name in lower case, with digits of the hash if another key has it. */
function namesOf(title: string, hash: string): readonly string[] {
  const plain = title.toLowerCase().replaceAll(" ", "-");
  return [plain, `${plain}-${hash}`];
}

function doubles(names: readonly string[]): readonly string[] {
  return names.filter((name, index) => names.indexOf(name) !== index);
}

const DIGITS = 8;
/** For a run that lasts, and for its publishing. */
const SLACK_MS = 40_000;
const PUBLISHED_MS = 3000;
/** Values are withdrawn a few seconds before the end of their time to live. */
const EARLY_MS = 8000;
