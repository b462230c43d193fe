import type { KeyPage, Question } from "./questions.ts";
import type { World } from "./world.ts";

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

/** The pages of the last list that came to its end; none: no list did. */
export function lastListing(pages: readonly AnsweredPage[]): readonly AnsweredPage[] {
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
