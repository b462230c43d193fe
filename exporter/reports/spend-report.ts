import type { Config } from "../config/config.ts";
import { SETTLE_MS, type Window } from "../time/window.ts";
import { isNothing, type ReportAmounts, restOf, sumOf } from "./amounts.ts";
import { listedSpend } from "./listed-spend.ts";
import { OWNER_LABELS, ownedSpend } from "./owned-spend.ts";
import type { PartialSpend, PricedWindow, ReportGateway, ReportLine, SpendReport } from "./report.ts";

/**
 * Asks the gateway for the spend of a period.
 * @throws GatewayError if it does not answer, or does not reach back that far.
 */
export async function createSpendReport(
  config: Pick<Config, "keys" | "discovery" | "creditValue">,
  { by, period }: Pick<SpendReport, "by" | "period">,
  nowMs: number,
  gateway: ReportGateway,
): Promise<SpendReport> {
  const askedUntilMs = Math.min(period.window.endMs, nowMs);
  const owned = OWNER_LABELS.find((label) => label === by);
  const spendIn = owned ? await ownedSpend(owned, config, gateway) : listedSpend(by, gateway);
  const parts: PartialSpend[] = [];
  for (const priced of pricedWindows({ ...period.window, endMs: askedUntilMs }, config.creditValue)) {
    parts.push(await spendIn(priced));
  }
  const asOfMs = Math.min(nowMs, parts.at(-1)?.computedAtMs ?? nowMs);
  const total = sumOf(parts.map((part) => part.total));
  const lines = merged(parts.flatMap((part) => part.lines));
  const rest = restOf(total, lines);
  return {
    by,
    period,
    // An answer may come from a cache.
    untilMs: askedUntilMs < period.window.endMs ? asOfMs : askedUntilMs,
    currency: config.creditValue?.currency,
    lines,
    rest: isNothing(rest) ? undefined : rest,
    total,
    problems: [
      ...new Set(parts.flatMap(({ problems }) => problems)),
      ...sumProblems(total, rest),
      ...(askedUntilMs < period.window.endMs ? [] : timeProblems(period.window, asOfMs)),
    ],
  };
}

function sumProblems(total: ReportAmounts, { credits = 0 }: ReportAmounts): readonly string[] {
  return [
    ...(credits < 0 ? [`the lines add up to ${-credits} credits more than the total`] : []),
    ...(total.credits === undefined ? ["the credits of the total are not known"] : []),
  ];
}

/** The service counts late, so an answer from the end of a period may lack its last spend. */
function timeProblems({ endMs }: Window, asOfMs: number): readonly string[] {
  if (asOfMs >= endMs + SETTLE_MS) return [];
  const asOf = new Date(asOfMs).toISOString();
  return [`the gateway counted at ${asOf}, before the period was settled, so its last spend may be missing`];
}

/** A new price of a credit does not change what was spent before. */
function pricedWindows(
  { startMs, endMs }: Window,
  creditValue: Config["creditValue"],
): readonly PricedWindow[] {
  if (!creditValue) return [{ window: { startMs, endMs }, price: undefined }];
  const windows: PricedWindow[] = [];
  let fromMs = startMs;
  for (const { untilMs, value } of creditValue.former) {
    const toMs = Math.min(endMs, untilMs);
    if (toMs <= fromMs) continue;
    windows.push({ window: { startMs: fromMs, endMs: toMs }, price: value });
    fromMs = toMs;
  }
  return fromMs < endMs
    ? [...windows, { window: { startMs: fromMs, endMs }, price: creditValue.value }]
    : windows;
}

/** One line for each name. */
function merged(lines: readonly ReportLine[]): readonly ReportLine[] {
  return [...Map.groupBy(lines, ({ name }) => name)]
    .map(([name, parts]) => ({ name, ...sumOf(parts) }))
    .toSorted(
      (one, other) => (other.credits ?? 0) - (one.credits ?? 0) || one.name.localeCompare(other.name, "en"),
    );
}
