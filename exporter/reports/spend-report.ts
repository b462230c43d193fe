import type { Config } from "../config/config.ts";
import { SETTLE_MS, type Window } from "../time/window.ts";
import { isNothing, pricedAmounts, type ReportAmounts, restOf, sumOf, totalAmounts } from "./amounts.ts";
import { ownedSpend, OWNER_LABELS } from "./owned-spend.ts";
import type {
  PartialSpend,
  PricedWindow,
  ReportDimension,
  ReportGateway,
  ReportLine,
  SpendReport,
} from "./report.ts";
import { labelText, shownLabel } from "../metrics/label-text.ts";
import type { Amounts } from "../gateway/port.ts";
import { answerProblems, lineProblems } from "./answer-problems.ts";

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
  const requestedUntilMs = Math.min(period.window.endMs, nowMs);
  const owned = OWNER_LABELS.find((label) => label === by);
  const spendIn = owned ? await ownedSpend(owned, config, gateway) : listedSpend(by, gateway);
  const parts: PartialSpend[] = [];
  for (const priced of pricedWindows({ ...period.window, endMs: requestedUntilMs }, config.creditValue)) {
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
    untilMs: requestedUntilMs < period.window.endMs ? asOfMs : requestedUntilMs,
    currency: config.creditValue?.currency,
    lines,
    rest: isNothing(rest) ? undefined : rest,
    total,
    problems: [
      ...new Set(parts.flatMap(({ problems }) => problems)),
      ...sumProblems(total, rest),
      ...(requestedUntilMs < period.window.endMs ? [] : timeProblems(period.window, asOfMs)),
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

/** The spend by a dimension of the gateway: one line for each of its rows. */
function listedSpend(
  by: ReportDimension,
  gateway: Pick<ReportGateway, "usage">,
): (part: PricedWindow) => Promise<PartialSpend> {
  return async ({ window, price }) => {
    const dimensions = [by === "key" ? "api_key_id" : by];
    const question = { range: window, pairs: true, total: true, rates: false, dimensions };
    const usage = await gateway.usage(question, `spend by ${by}`);
    const { pairs, truncated, unreadableRows, warnings } = usage;
    const total = totalAmounts(usage.total, price);
    const lines = pairs.map(({ model, amounts }) => ({
      name: shownLabel(labelText(model ?? "")),
      ...pricedAmounts(usedAmounts(amounts), price),
    }));
    return {
      lines,
      total,
      computedAtMs: usage.computedAtMs,
      problems: [
        ...(truncated ? ["the gateway has more rows than it sends; they are part of the rest"] : []),
        ...(unreadableRows > 0 ? [`${unreadableRows} rows cannot be read; they are part of the rest`] : []),
        ...(warnings > 0 ? ["the gateway warns about the query, so amounts may be missing"] : []),
        ...answerProblems(usage, "the account"),
        ...lineProblems(lines, restOf(total, lines), by),
      ],
    };
  };
}

/** A row without requests has spent nothing, even if the gateway sends no amount. */
function usedAmounts(amounts: Amounts): Amounts {
  return amounts.requests === 0 ? { ...amounts, credits: amounts.credits ?? 0 } : amounts;
}
