import { z } from "zod";
import {
  type Amounts,
  AMOUNTS,
  type SeriesQuestion,
  type UsageFilter,
  type UsageSeries,
} from "../gateway/port.ts";
import { labelText, shownLabel } from "../metrics/label-text.ts";
import type { Window } from "../time/window.ts";
import type { BackfillPlan } from "./plan.ts";

const amount = z.number().nullable();
const range = z.object({ startMs: z.number(), endMs: z.number() });

/** The answer to one question, as the state file keeps it. */
export const pastAnswer = z.object({
  /** The hash of a key, `account` for sums over everything, or `pairs` of model and app. */
  subject: z.string(),
  range,
  /** For a key: what it used after the written time, which is one sum without hours and days. */
  isAfter: z.boolean().optional(),
  /** Whether the credits may contain usage that the user's own provider keys paid for (BYOK). */
  isByokUnknown: z.boolean(),
  rows: z.array(
    z.object({
      startMs: z.number(),
      /** Model and app as the metrics show them; null or empty without a name. */
      labels: z.array(z.string().nullable()),
      /** In the order of `AMOUNTS`. */
      amounts: z.array(amount),
    }),
  ),
});
export type PastAnswer = z.infer<typeof pastAnswer>;
export type PastRow = PastAnswer["rows"][number];

export const ACCOUNT = "account";
export const PAIRS = "pairs";
/** The same in messages. */
export const ACCOUNT_NAME = "the account";
export const PAIRS_NAME = "models and apps";

/** The parts of the asked time that have one granularity. */
export function ranges({
  dataStartMs,
  hoursStartMs,
  untilMs,
}: BackfillPlan): readonly Pick<SeriesQuestion, "range" | "granularity">[] {
  const turnMs = Math.min(hoursStartMs, untilMs);
  const days = { range: { startMs: dataStartMs, endMs: turnMs }, granularity: "day" } as const;
  const hours = { range: { startMs: turnMs, endMs: untilMs }, granularity: "hour" } as const;
  return [days, hours].filter((part) => part.range.startMs < part.range.endMs);
}

/** Limits a question to one key. */
export function ofKey(hash: string): readonly UsageFilter[] {
  return [{ dimension: "api_key_id", operator: "in", values: [hash], withUnset: false }];
}

/** An answer without anything that could reveal a secret. */
export function keptAnswer(subject: string, asked: Window, answer: UsageSeries): PastAnswer {
  return {
    subject,
    range: { ...asked },
    isByokUnknown: answer.creditsSource === "total",
    rows: answer.rows.map(({ startMs, labels, amounts }) => ({
      startMs,
      labels: labels.map((text) => text && shownLabel(labelText(text))),
      amounts: AMOUNTS.map((name) => amounts[name] ?? null),
    })),
  };
}

/** The amounts of a row, by name. */
export function amountsOf({ amounts }: Pick<PastRow, "amounts">): Amounts {
  const [credits, byokCredits, requests, tokens, promptTokens, completionTokens, reasoningTokens] =
    amounts.map((value) => value ?? undefined);
  return { credits, byokCredits, requests, tokens, promptTokens, completionTokens, reasoningTokens };
}
