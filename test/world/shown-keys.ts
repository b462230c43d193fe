import { type KeyFigures, resetEnd } from "./books.ts";
import { windowEnd, type WindowName } from "./calendar.ts";
import type { Question, KeyPage } from "./questions.ts";
import type { KeySettings } from "./story.ts";
import type { World } from "./world.ts";

/** One value that `/metrics` shows of a key. */
export interface KeyValue {
  readonly family: string;
  readonly value: number;
  /** The end of the calendar window that it belongs to, epoch milliseconds; undefined: it belongs to none. */
  readonly windowEndMs: number | undefined;
}

/** What `/metrics` must show of a key whose figures were asked for at an instant. */
export function keyValues(figures: KeyFigures, asOfMs: number): readonly KeyValue[] {
  const { usage, byok, limit, remaining } = figures;
  const spend = (name: string, spent: KeyFigures["usage"]) => [
    ...credits(`${name}_credits`, spent.total),
    ...WINDOWS.flatMap((window) =>
      credits(`${name}_${window}_credits`, spent[window], windowEnd(window, asOfMs)),
    ),
  ];
  return [
    ...spend("usage", usage),
    ...spend("byok_usage", byok),
    { family: "aigateway_key_unlimited", value: Number(limit === null), windowEndMs: undefined },
    ...credits("limit_credits", limit),
    ...credits("limit_remaining_credits", remaining, resetEnd(figures, asOfMs)),
  ];
}

/**
 * Whether a value may be shown that belongs to the window with this end, or to none. While the exporter's clock is wrong, it
 * cannot know which window runs.
 */
export function isRunning({ time }: World, windowEndMs: number | undefined, atMs: number): boolean {
  if (windowEndMs === undefined || Math.abs(time.skewMs()) > 1000) return true;
  return WINDOWS.some((window) => windowEnd(window, atMs) === windowEndMs);
}

function credits(family: string, micros: number | null, windowEndMs?: number): readonly KeyValue[] {
  return micros === null ? [] : [{ family: `aigateway_key_${family}`, value: micros / 1e6, windowEndMs }];
}

const WINDOWS: readonly WindowName[] = ["day", "week", "month"];

/** Every family of a key's values. */
export const KEY_VALUE_FAMILIES = [
  ...["usage", "byok_usage"].flatMap((name) =>
    ["", "_day", "_week", "_month"].map((part) => `${name}${part}_credits`),
  ),
  "unlimited",
  "limit_credits",
  "limit_remaining_credits",
].map((name) => `aigateway_key_${name}`);

/** Everything asked with the secrets that the file of a key has held, while the present exporter runs. */
export function questionsAbout(world: World, { name, file }: KeySettings): readonly Question[] {
  const { gateway } = world.settings();
  const since = Math.max(world.configuredSince(name), world.startedAt());
  return world.files.tokens(file).flatMap(({ token }) => {
    const all = world.questions.with("key", gateway, token);
    return (all[0]?.at ?? since) >= since ? all : all.filter(({ at }) => at >= since);
  });
}

/** The figures of a good answer, from the books. */
export function figuresOf({ books }: World, { gateway, account, asOfMs }: Question): KeyFigures | undefined {
  return account === undefined ? undefined : books.key({ gateway, number: account }, asOfMs);
}

/**
 * The good answers about the account that the present exporter got from the present gateway with a secret of the
 * present management key, oldest first.
 */
export function accountAnswers(world: World, at: number, oldest = 0): readonly Question[] {
  const { analytics, gateway } = world.settings();
  if (!analytics) return [];
  const tokens = new Set(world.files.tokens(analytics.file).map(({ token }) => token));
  const since = Math.max(world.startedAt(), oldest);
  return world.questions
    .at("account")
    .filter(
      (question) =>
        question.at >= since &&
        question.gateway === gateway &&
        tokens.has(question.token) &&
        question.end === "good" &&
        (question.endedAt ?? Infinity) <= at,
    );
}

/** A page of a list that was answered. */
export interface AnsweredPage {
  readonly question: Question;
  readonly page: KeyPage;
}

export function pagesOf(answers: readonly Question[]): readonly AnsweredPage[] {
  return answers.flatMap((question) => (question.page ? [{ question, page: question.page }] : []));
}

/** The pages of the last list of each workspace that came to its end; none: no list did. */
export function lastListing(pages: readonly AnsweredPage[]): readonly AnsweredPage[] {
  const lists = [...Map.groupBy(pages, ({ page }) => page.workspace).values()].map(lastOf);
  return lists.some((list) => list.length === 0) ? [] : lists.flat();
}

/** When the first page of a list was asked for. */
export function listedAt(listing: readonly AnsweredPage[]): number {
  return listing.length === 0 ? 0 : Math.min(...listing.map(({ question }) => question.at));
}

function lastOf(pages: readonly AnsweredPage[]): readonly AnsweredPage[] {
  const listing: AnsweredPage[] = [];
  let end = pages.findLastIndex(isLastPage);
  for (let wanted = pages[end]?.page.offset; end >= 0; end--) {
    const one = pages[end];
    if (!one) continue;
    if (listing.length > 0 && endOf(one.page) !== wanted) {
      // An unreadable row makes a page shorter. The pages before it belong to another list.
      if (one.page.offset === 0) return [];
      continue;
    }
    listing.unshift(one);
    if (one.page.offset === 0) return listing;
    wanted = one.page.offset;
  }
  return [];
}

/** The last row of a page is the first one of the next. */
function endOf({ offset, rows }: KeyPage): number {
  return offset + rows.length - 1;
}

/** It repeats the last row of the page before. Without that row, which may be unreadable, the list is not whole. */
function isLastPage({ page: { offset, rows } }: AnsweredPage): boolean {
  return offset > 0 && rows.length === 1;
}
