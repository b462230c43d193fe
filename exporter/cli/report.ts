import { redact } from "../secrets/redact.ts";
import { type CsvDecimal, csvReport, type CsvTotals } from "../reports/csv.ts";
import { focusReport } from "../reports/focus.ts";
import { jsonReport } from "../reports/json.ts";
import { markdownReport } from "../reports/markdown.ts";
import {
  lastPeriod,
  monthOf,
  periodBefore,
  type ReportDimension,
  type ReportPeriod,
  type SpendReport,
} from "../reports/report.ts";
import { createSpendReport } from "../reports/spend-report.ts";
import { utcText } from "../time/utc-time.ts";
import { createAccountGateway, createCommandGateway } from "./command-gateway.ts";
import type { Options } from "./command-line/program.ts";
import { loadConfiguration, terminalReporter } from "./load-configuration.ts";
import type { Terminal } from "./terminal.ts";
import { UsageError } from "./command-line/flag-values.ts";

/** What is reported, and how it is printed. */
export interface ReportRequest {
  /** `2026-10`; absent: the last full month, or what `last` names. */
  readonly month?: string | undefined;
  readonly last?: ReportPeriod["kind"] | undefined;
  /** One or two. */
  readonly by: readonly ReportDimension[];
  readonly format: "markdown" | "csv" | "json" | "focus";
  /** For CSV; absent: none. */
  readonly totals?: CsvTotals;
  /** For CSV; absent: point. */
  readonly decimal?: CsvDecimal;
  /** For FOCUS; absent: the host of the gateway. */
  readonly provider?: string;
  readonly publisher?: string;
  readonly invoiceIssuer?: string;
}

/**
 * Asks the gateway for the spend of a month or a week, and prints it. Exit code 1 if it cannot be asked, or
 * if the lines are not complete.
 */
export async function report(
  request: ReportRequest,
  { configFile }: Pick<Options, "configFile">,
  terminal: Terminal,
): Promise<number> {
  const { stdout, env, clock } = terminal;
  const reporter = terminalReporter(terminal);
  const period = periodOf(request, clock.now());
  const config = await loadConfiguration(configFile, env, reporter);
  if (!config) return 1;
  if (!config.analytics) {
    reporter.problem(`${configFile}: a report needs the section analytics, with a management key`);
    return 1;
  }
  if (request.format === "focus" && !config.creditValue) {
    reporter.problem(
      `${configFile}: --format=focus needs the section credit_value: FOCUS has costs in a currency`,
    );
    return 1;
  }
  const gateway = createCommandGateway(config, terminal);
  const questions = createAccountGateway(gateway, config, config.analytics, clock);
  const ask = (of: ReportPeriod) =>
    createSpendReport(config, { by: request.by, period: of }, clock.now(), questions);
  try {
    const made = await ask(period);
    // A part of a month cannot be compared with a whole one.
    const isCompared = request.format === "markdown" && made.untilMs === period.window.endMs;
    // The gateway may not reach back as far as the previous period. An incomplete one would look like growth.
    const former = isCompared ? await ask(periodBefore(period)).catch(() => undefined) : undefined;
    const before = former?.problems.length === 0 ? former : undefined;
    stdout.write(
      redact(FORMATS[request.format](made, before, request, new URL(config.gateway.baseUrl).host)),
    );
    for (const problem of made.problems) reporter.warning(problem);
    if (made.untilMs < period.window.endMs)
      reporter.warning(`${period.name} has not ended: it is counted until ${utcText(made.untilMs)}`);
    return made.problems.length === 0 ? 0 : 1;
  } catch (error) {
    reporter.problem(
      `Cannot report ${period.name}: ${error instanceof Error ? error.message : String(error)}`,
    );
    return 1;
  } finally {
    await gateway.close();
  }
}

/** @throws UsageError if the month is not one, or has not begun. */
function periodOf({ month, last }: ReportRequest, nowMs: number): ReportPeriod {
  if (month === undefined) return lastPeriod(last ?? "month", nowMs);
  const period = monthOf(month);
  if (!period) throw new UsageError(`Unknown month "${month}" (--month): expected a month such as 2026-10`);
  if (period.window.startMs >= nowMs)
    throw new UsageError(`Cannot report ${month} (--month): it has not begun`);
  return period;
}

type Write = (
  made: SpendReport,
  before: SpendReport | undefined,
  request: ReportRequest,
  host: string,
) => string;

const FORMATS: Readonly<Record<ReportRequest["format"], Write>> = {
  focus: (made, _before, request, host) => {
    const { provider = host, publisher = provider, invoiceIssuer = provider } = request;
    return focusReport(made, { account: host, provider, publisher, invoiceIssuer });
  },
  csv: (made, _before, { totals = "none", decimal }) => csvReport(made, totals, decimal),
  json: jsonReport,
  markdown: markdownReport,
};
