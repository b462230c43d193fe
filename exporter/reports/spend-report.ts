import type { Config } from "../config/config.ts";
import { DAY_MS, SETTLE_MS, type Window } from "../time/window.ts";
import { isNothing, type ReportAmounts, restOf, sumOf, UNKNOWN_AMOUNTS } from "./amounts.ts";
import { dateText } from "./csv.ts";
import { dividedSpend } from "./divided-spend.ts";
import type {
  PartialSpend,
  PricedWindow,
  ReportDimension,
  ReportGateway,
  ReportLine,
  SpendReport,
} from "./report.ts";

/**
 * Asks the gateway for the spend of a period.
 * @throws GatewayError if it does not answer, or refuses to reach back that far.
 */
export async function createSpendReport(
  config: Pick<Config, "keys" | "discovery" | "creditValue">,
  { by, period }: Pick<SpendReport, "by" | "period">,
  nowMs: number,
  gateway: ReportGateway,
): Promise<SpendReport> {
  const requestedUntilMs = Math.min(period.window.endMs, nowMs);
  const spendIn = await dividedSpend(by, config, gateway);
  const answers: (PricedWindow & PartialSpend)[] = [];
  for (const priced of pricedWindows({ ...period.window, endMs: requestedUntilMs }, config.creditValue))
    answers.push({ ...priced, ...(await spendIn(priced)) });
  const asOfMs = Math.min(nowMs, answers.at(-1)?.computedAtMs ?? nowMs);
  const memory = memoryOf(by, nowMs);
  const isForgotten = period.window.startMs < memory.startMs && answers.every(({ isUnused }) => isUnused);
  const total = isForgotten ? UNKNOWN_AMOUNTS : sumOf(answers.map((part) => part.total));
  const lines = isForgotten ? [] : merged(answers.flatMap((part) => part.lines));
  const rest = restOf(total, lines);
  return {
    by,
    period,
    // An answer may come from a cache.
    untilMs: requestedUntilMs < period.window.endMs ? asOfMs : requestedUntilMs,
    currency: config.creditValue?.currency,
    lines,
    rest: restIfAny(rest),
    total,
    parts: answers.map(({ window, price, lines: own, total: whole }) => {
      const ofPart = merged(own);
      return { window, price, lines: ofPart, rest: restIfAny(restOf(whole, ofPart)) };
    }),
    problems: isForgotten
      ? [`the spend is not known: ${memory.text}`]
      : [
          ...new Set(answers.flatMap(({ problems }) => problems)),
          ...(period.window.startMs < memory.startMs ? [`${memory.text}, so a part may be missing`] : []),
          ...sumProblems(total, rest),
          ...(requestedUntilMs < period.window.endMs ? [] : timeProblems(period.window, asOfMs)),
        ],
  };
}

function restIfAny(rest: ReportAmounts): ReportAmounts | undefined {
  return isNothing(rest) ? undefined : rest;
}

/** Since when gateways remember spend by these dimensions. One that has forgotten it may answer that there was none. */
function memoryOf(by: readonly ReportDimension[], nowMs: number) {
  const days = by.some((one) => one === "user" || one === "provider") ? 31 : 367;
  const startMs = nowMs - days * DAY_MS;
  const text = `gateways remember it for ${days} days, which is since ${dateText(startMs)}`;
  return { startMs, text };
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

/** One line for the same names. */
function merged(lines: readonly ReportLine[]): readonly ReportLine[] {
  return [...Map.groupBy(lines, ({ names }) => JSON.stringify(names)).values()]
    .flatMap((parts) => (parts[0] ? [{ names: parts[0].names, ...sumOf(parts) }] : []))
    .toSorted(
      (one, other) =>
        (other.credits ?? 0) - (one.credits ?? 0) || namesText(one).localeCompare(namesText(other), "en"),
    );
}

function namesText({ names }: ReportLine): string {
  return names.join("\n");
}
