import type { Settings } from "./story.ts";
import type { World, Scrape } from "./world.ts";
import type { WorldClock } from "./world-clock.ts";
import type { Question } from "./questions.ts";

/** Which configuration the exporter has, and since when, as far as its operator knows. */
export interface ExporterState extends Pick<
  World,
  | "settings"
  | "settingsSince"
  | "configuredSince"
  | "maskedAt"
  | "isApplying"
  | "startedAt"
  | "starts"
  | "startedMonotonic"
  | "disturbedAt"
> {
  /** A reload begins; the result ends it. */
  beginReload(): () => void;
  /** A reload has read these settings and begins to apply them. */
  loaded(settings: Settings): void;
  restarted(): void;
  /** The clock was stepped, or the process resumed. */
  disturbed(at: number): void;
}

export function createExporterState(initial: Settings, time: WorldClock): ExporterState {
  let settings = initial;
  const createdAt = time.elapsedMs();
  let since = createdAt;
  let started = { at: createdAt, monotonic: time.clock.monotonic(), count: 1 };
  let disturbedAt = 0;
  let reloads = 0;
  let configured: ReadonlyMap<string, number> = new Map();
  const masked = new Map<string, number>();
  return {
    settings: () => settings,
    settingsSince: () => since,
    configuredSince: (key) => configured.get(key) ?? createdAt,
    maskedAt: (key) => masked.get(key) ?? 0,
    isApplying: () => reloads > 0,
    startedAt: () => started.at,
    starts: () => started.count,
    startedMonotonic: () => started.monotonic,
    disturbedAt: () => disturbedAt,
    beginReload: () => {
      reloads++;
      return () => void reloads--;
    },
    loaded: (next) => {
      since = time.elapsedMs();
      for (const name of maskedKeys(settings, next)) masked.set(name, since);
      configured = configuredSince(settings, next, configured, since);
      settings = next;
    },
    restarted: () => {
      started = {
        at: time.elapsedMs(),
        monotonic: time.clock.monotonic(),
        count: started.count + 1,
      };
    },
    disturbed: (at) => {
      disturbedAt = at;
    },
  };
}

/** A key that keeps its gateway and its file keeps its time. */
function configuredSince(
  former: Settings,
  next: Settings,
  known: ReadonlyMap<string, number>,
  at: number,
): ReadonlyMap<string, number> {
  const files = new Map(former.keys.map(({ name, file }) => [name, file]));
  const isKept = (name: string, file: number) => former.gateway === next.gateway && files.get(name) === file;
  return new Map(
    next.keys.flatMap(({ name, file }) => {
      const since = isKept(name, file) ? known.get(name) : at;
      return since === undefined ? [] : [[name, since]];
    }),
  );
}

/** The keys that showed the fragment of their secret before. */
function maskedKeys(former: Settings, next: Settings): readonly string[] {
  const revealing = new Set(former.keys.flatMap(({ name, label }) => (label === true ? [name] : [])));
  return next.keys.flatMap(({ name, label }) => (label !== true && revealing.has(name) ? [name] : []));
}

/** The effective interval that the exporter reports, milliseconds; 0: it reports none. */
export function intervalMs(
  { exposition }: Pick<Scrape, "exposition">,
  collector: "key" | "analytics" | "account" | "discovery" | "unwatched",
): number {
  return (exposition.value("aigateway_exporter_poll_interval_seconds", { collector }) ?? 0) * 1000;
}

/** The longest effective interval of the keys so far: as scrapes show it, or as the polls between two scrapes do. */
export interface LongestInterval {
  asked(question: Question): void;
  scraped(scrape: Pick<Scrape, "exposition">): void;
  readonly ms: number;
}

export function createLongestInterval(): LongestInterval {
  const asked = new Map<string, number>();
  let longestMs = 0;
  return {
    asked: ({ endpoint, token, at }) => {
      if (endpoint !== "key") return;
      longestMs = Math.max(longestMs, at - (asked.get(token) ?? at));
      asked.set(token, at);
    },
    scraped: (scrape) => {
      longestMs = Math.max(longestMs, intervalMs(scrape, "key"));
    },
    get ms() {
      return longestMs;
    },
  };
}
