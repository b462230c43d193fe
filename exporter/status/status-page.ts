import { setImmediate as nextTurn } from "node:timers/promises";
import type { BudgetStatus, budgetStatus } from "../budgets/budget-status.ts";
import type { BudgetConfig, Config } from "../config/config.ts";
import type { ReadingSource } from "../readings/readings.ts";
import type { Clock } from "../time/clock.ts";
import { createOverview, type Overview } from "./overview.ts";
import type { ProbesSource } from "./probes-overview.ts";
import { type WatchedReadings, watchReadings } from "./watched-readings.ts";

/** The status page, drawn at most once a second for all readers, unless something on it was withdrawn. */
export interface StatusPage {
  /** @throws WithdrawnError */
  current(): Promise<DrawnPage>;
}

/** The bytes of the page; the same object as long as it is current. */
export interface DrawnPage {
  readonly html: Buffer;
}

/** What is on the page is withdrawn faster than the page is drawn. */
export class WithdrawnError extends Error {
  override readonly name = "WithdrawnError";

  constructor() {
    super("Cannot draw the page: its values are withdrawn faster than it is drawn");
  }
}

export interface StatusPageDependencies {
  readonly clock: Clock;
  readonly readings: ReadingSource & { readonly withdrawals: number };
  readonly budgetStatus: typeof budgetStatus;
  readonly probes: ProbesSource;
  /** How long a part of the drawing may take, after which other work runs. */
  readonly sliceMs?: number;
  /** Lets other work run. */
  readonly pause?: () => Promise<void>;
}

const SHOWN_MS = 1000;
const SLICE_MS = 5;

const MOST_ATTEMPTS = 5;

export function createStatusPage(
  config: () => Config,
  about: () => Pick<Overview, "version" | "startedMs" | "failedReloadMs">,
  telemetryPath: string,
  { clock, readings, budgetStatus, probes, sliceMs = SLICE_MS, pause = nextTurn }: StatusPageDependencies,
): StatusPage {
  let last: Drawing | undefined;

  /** Waits if the present slice has taken long enough. */
  function createPace(): () => Promise<void> {
    let sinceMs = clock.monotonic();
    return async () => {
      if (clock.monotonic() - sinceMs < sliceMs) return;
      await pause();
      sinceMs = clock.monotonic();
    };
  }

  async function draw(watched: WatchedReadings): Promise<DrawnPage> {
    const pace = createPace();
    const [drawn, nowMs] = [config(), clock.now()];
    const statuses = new Map<BudgetConfig, BudgetStatus>();
    const statusOf = (budget: BudgetConfig) => statuses.get(budget) ?? budgetStatus(budget, watched, nowMs);
    for (const budget of drawn.budgets) {
      const status = statusOf(budget);
      watched.limit(status.window.endMs - nowMs);
      statuses.set(budget, status);
      await pace();
    }
    const overview = createOverview(
      drawn,
      { readings: watched, budgetStatus: statusOf, probes },
      { ...about(), nowMs },
    );
    await pace();
    // Most instances never serve the page, and its number formats are expensive to load.
    const { renderPage } = await import("./page/page.ts");
    return { html: Buffer.from(await renderPage(overview, telemetryPath).written(pace)) };
  }

  function begin(marginMs: number): Drawing {
    const watched = watchReadings(readings, clock, marginMs);
    const drawing: Drawing = { watched, page: draw(watched), lastsUntilMs: undefined };
    const beganMs = clock.monotonic();
    const end = () => void (drawing.lastsUntilMs = beganMs + SHOWN_MS);
    drawing.page.then(end, end);
    return drawing;
  }

  function isLasting({ watched, lastsUntilMs }: Drawing): boolean {
    return watched.isValid() && (lastsUntilMs === undefined || clock.monotonic() < lastsUntilMs);
  }

  return {
    current: async () => {
      for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        // In an outage a value is withdrawn every few milliseconds.
        if (!last || !isLasting(last)) last = begin(attempt === 0 ? 0 : SHOWN_MS * 2 ** attempt);
        const mine = last;
        const page = await mine.page.catch((error: unknown) => {
          if (last === mine) last = undefined;
          throw error;
        });
        if (mine.watched.isValid()) return page;
      }
      throw new WithdrawnError();
    },
  };
}

interface Drawing {
  readonly watched: WatchedReadings;
  readonly page: Promise<DrawnPage>;
  /** Monotonic time until which further readers get this page; undefined while it is drawn. */
  lastsUntilMs: number | undefined;
}
