import { parseTextFormat } from "../support/openmetrics.ts";
import { until } from "../support/until.ts";
import type { BookHistory } from "./book-history.ts";
import { missingValues, type Truth, wrongValues } from "./check-keys.ts";
import { wrongSums } from "./check-sums.ts";
import { resetOf } from "./fleet.ts";
import { RECOVERY } from "./plan.ts";
import type { SoakResult } from "./result.ts";
import { readScrape, type Scrape } from "./scrape.ts";
import type { Setting } from "./setting.ts";
import { createTimesToLive, effectiveIntervalMs } from "./times-to-live.ts";

/** Scrapes, and compares the values with the books. */
export interface Checker {
  /** The gateway begins another phase. */
  enter(phase: string, atMs: number): void;
  /** The exporter has begun to poll, so the current phase begins for it now. */
  begin(): void;
  /** From now on these keys must not be shown. */
  setGone(names: readonly string[]): void;
  check(url: string): Promise<void>;
}

export function createChecker(result: SoakResult, history: BookHistory, setting: Setting): Checker {
  const resets = new Map(setting.names.map((name, index) => [name, resetOf(index)]));
  const stayers = setting.names.slice(0, -setting.comersAndGoers.length);
  const timesToLive = createTimesToLive();
  let phase = { name: "", atMs: 0 };
  let gone: Gone = { names: [], sinceMs: 0 };

  function compare(scrape: Scrape, phaseThen: typeof phase, goneThen: Gone): void {
    const isDue = scrape.sentMs - goneThen.sinceMs >= WITHDRAWN_WITHIN_MS;
    // A key that has come back may be shown.
    const goneNames = new Set(isDue && goneThen === gone ? gone.names : []);
    const truth: Truth = {
      history,
      timeToLiveMs: timesToLive.longest("key", scrape),
      analyticsTimeToLiveMs: timesToLive.longest("analytics", scrape),
      resetOf: (key) => resets.get(key) ?? null,
      gone: goneNames,
      away: new Set(setting.comersAndGoers),
    };
    const stamp = `${new Date(scrape.sentMs).toISOString()} (${phaseThen.name})`;
    const wrong = [...wrongValues(scrape, truth), ...wrongSums(scrape, truth, setting.budgets)];
    result.wrongValues.add(wrong.map((problem) => `${stamp} ${problem}`));
    result.checkedScrapes += 1;
    result.checkedKeys += scrape.keys.size;
    result.own = scrape.others;
    const isCalm =
      phaseThen.name === "calm" && scrape.sentMs - phaseThen.atMs >= RECOVERY * result.intervalMs;
    if (!isCalm) return;
    result.calmIntervalsMs.push(effectiveIntervalMs("key", scrape));
    result.completeScrapes += 1;
    result.missingValues.add(
      missingValues(scrape, stayers, phaseThen.atMs).map((problem) => `${stamp} ${problem}`),
    );
  }

  return {
    enter: (name, atMs) => {
      phase = { name, atMs };
      result.phases.push(name);
    },
    begin: () => {
      phase = { ...phase, atMs: Date.now() };
    },
    setGone: (names) => {
      gone = { names, sinceMs: Date.now() };
    },
    check: async (url) => {
      const [phaseThen, goneThen, sentMs] = [phase, gone, Date.now()];
      const text = await scrapeText(url, result);
      if (text === undefined) return;
      const receivedMs = Date.now();
      // Only sometimes, because the strict parser is slow.
      if (result.checkedScrapes % STRICT_EVERY === 0) parseStrictly(text, result);
      await until(
        "the gateway's books",
        () => history.knownUntil,
        (knownUntil) => knownUntil >= receivedMs,
      );
      compare(readScrape(text, sentMs, receivedMs), phaseThen, goneThen);
    },
  };
}

interface Gone {
  readonly names: readonly string[];
  /** When the reload had ended. */
  readonly sinceMs: number;
}

/** After a reload the next rendering, at most one a second, shows no removed key. */
const WITHDRAWN_WITHIN_MS = 3000;

const STRICT_EVERY = 12;

async function scrapeText(url: string, result: SoakResult): Promise<string | undefined> {
  try {
    const response = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(SCRAPE_TIMEOUT_MS) });
    const text = await response.text();
    if (response.ok) return text;
    result.failedScrapes.add([`/metrics answered ${response.status}`]);
  } catch (error) {
    result.failedScrapes.add([`${new Date().toISOString()} /metrics: ${String(error)}`]);
  }
  return undefined;
}

const SCRAPE_TIMEOUT_MS = 10_000;

function parseStrictly(text: string, result: SoakResult): void {
  try {
    parseTextFormat(text);
  } catch (error) {
    result.invalidExpositions.add([String(error)]);
  }
}
