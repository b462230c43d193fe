import { setImmediate as nextTurn } from "node:timers/promises";
import type { BudgetStatus, budgetStatus } from "../budgets/budget-status.ts";
import type { BudgetConfig, Config } from "../config/config.ts";
import type { ListedNames } from "../readings/listed-name.ts";
import type { ReadingSource } from "../readings/readings.ts";
import type { Clock } from "../time/clock.ts";
import { createOverview, type Overview } from "./overview.ts";
import type { KeyHistory } from "./key-history.ts";
import type { SpendHours } from "./spend-hours.ts";
import type { ProbesSource } from "./probes-overview.ts";
import { pageDocument, type StatusDocument } from "./documents.ts";
import { ACCOUNT_PATH, AXIS_PATHS, STATUS_PATH } from "./view.ts";
import { type WatchedReadings, watchReadings } from "./watched-readings.ts";

/**
 * The status for people and scripts. Each document is drawn at most once a second for all readers, unless
 * something on it was withdrawn.
 */
export interface StatusPage {
  /** The whole page unless another document is given. @throws WithdrawnError @throws TooManyViewsError */
  current(document?: StatusDocument): Promise<DrawnPage>;
}

/** The bytes of a document; the same object as long as it is current. */
export interface DrawnPage {
  readonly body: Buffer;
  /** Whether what was wanted does not exist; the document reports that. */
  readonly isMissing?: boolean;
}

/** What is on the page is withdrawn faster than the page is drawn. */
export class WithdrawnError extends Error {
  override readonly name = "WithdrawnError";

  constructor() {
    super("Cannot draw the page: its values are withdrawn faster than it is drawn");
  }
}

/** More different views are wanted in a second than are drawn and kept. The whole page is always drawn. */
export class TooManyViewsError extends Error {
  override readonly name = "TooManyViewsError";

  constructor() {
    super("Cannot draw the page: too many different views of it are wanted at once");
  }
}

export interface StatusPageDependencies {
  readonly clock: Clock;
  readonly readings: ReadingSource & { readonly withdrawals: number };
  readonly budgetStatus: typeof budgetStatus;
  readonly probes: ProbesSource;
  /** The names of listed keys; none unless given. */
  readonly listed?: () => ListedNames;
  /** Nothing is drawn over time unless given. */
  readonly history?: KeyHistory;
  readonly spendHours?: SpendHours;
  /** How long a part of the drawing may take, after which other work runs. */
  readonly sliceMs?: number;
  /** Lets other work run. */
  readonly pause?: () => Promise<void>;
}

const SHOWN_MS = 1000;
const SLICE_MS = 5;

const MOST_ATTEMPTS = 5;

/** Documents that are drawn and kept at once, apart from the whole ones. */
const MOST_VIEWS = 16;

/**
 * Drawn however many others are wanted: the whole page, the first page of the whole status, and the pages
 * that all pages link.
 */
const WHOLE_ADDRESSES: ReadonlySet<string> = new Set([
  "/",
  STATUS_PATH,
  ACCOUNT_PATH,
  ...Object.values(AXIS_PATHS),
]);

export function createStatusPage(
  config: () => Config,
  about: () => Pick<Overview, "version" | "startedMs" | "failedReloadMs">,
  telemetryPath: string,
  dependencies: StatusPageDependencies,
): StatusPage {
  const { clock, readings, budgetStatus, sliceMs = SLICE_MS, pause = nextTurn } = dependencies;
  let last: Drawing | undefined;
  let turn: Promise<void> = Promise.resolve();

  /** Waits if the present slice has taken long enough. */
  function createPace(): () => Promise<void> {
    let sinceMs = clock.monotonic();
    return async () => {
      if (clock.monotonic() - sinceMs < sliceMs) return;
      await pause();
      sinceMs = clock.monotonic();
    };
  }

  async function gather(watched: WatchedReadings): Promise<Overview> {
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
      { ...dependencies, readings: watched, budgetStatus: statusOf },
      { ...about(), nowMs },
    );
    await pace();
    return overview;
  }

  async function draw({ watched, overview }: Drawing, document: StatusDocument): Promise<DrawnPage> {
    const drawn = await overview;
    if (!watched.isValid()) throw new WithdrawnError();
    const written = await document.write({ overview: drawn, telemetryPath, pace: createPace() });
    return { body: Buffer.from(written.text), isMissing: written.isMissing === true };
  }

  /** Documents are drawn one after the other, so that other work runs between any two slices. */
  function pageOf(drawing: Drawing, document: StatusDocument): Promise<DrawnPage> {
    const [{ address }, { pages }] = [document, drawing];
    const known = pages.get(address);
    if (known) return known;
    if (!WHOLE_ADDRESSES.has(address) && pages.size >= MOST_VIEWS) throw new TooManyViewsError();
    drawing.pending++;
    const page = turn.then(() => draw(drawing, document)).finally(() => drawing.pending--);
    pages.set(address, page);
    turn = page.then(ignore, ignore);
    return page;
  }

  function begin(marginMs: number): Drawing {
    const watched = watchReadings(readings, clock, marginMs);
    const overview = gather(watched);
    // The readers of its pages get the error.
    overview.catch(ignore);
    return { watched, overview, pages: new Map(), pending: 0, beganMs: clock.monotonic() };
  }

  function isLasting({ watched, pending, beganMs }: Drawing): boolean {
    return watched.isValid() && (pending > 0 || clock.monotonic() < beganMs + SHOWN_MS);
  }

  return {
    current: async (document = pageDocument()) => {
      for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        // In an outage a value is withdrawn every few milliseconds.
        if (!last || !isLasting(last)) last = begin(attempt === 0 ? 0 : SHOWN_MS * 2 ** attempt);
        const mine = last;
        const page = await pageOf(mine, document).catch((error: unknown) => {
          if (last === mine) last = undefined;
          if (error instanceof WithdrawnError) return undefined;
          throw error;
        });
        if (page && mine.watched.isValid()) return page;
      }
      throw new WithdrawnError();
    },
  };
}

/** What all documents of the same second have in common. */
interface Drawing {
  readonly watched: WatchedReadings;
  readonly overview: Promise<Overview>;
  /** By the address of the document. */
  readonly pages: Map<string, Promise<DrawnPage>>;
  /** Number of pages that are not drawn yet. Until they are, further readers join, however old the values are. */
  pending: number;
  /** Monotonic. */
  readonly beganMs: number;
}

function ignore(): void {}
