import { type Command, Option } from "commander";
import type { RuleOptions } from "../../../dashboards/rules/settings.ts";
import { PAST_FORMATS, type PastFormat, REACH_DAYS } from "../../backfill/plan.ts";
import { DEFAULT_PORT } from "../../config/schema.ts";
import { CSV_DECIMALS, CSV_TOTALS } from "../../reports/csv.ts";
import { REPORT_DIMENSIONS } from "../../reports/report.ts";
import { printRules, RULE_FORMATS, type RuleFormat } from "../print-rules.ts";
import type { ReportRequest } from "../report.ts";
import type { Terminal } from "../terminal.ts";
import {
  intervalSeconds,
  link,
  numberOfDays,
  reportDimensions,
  serverUrl,
  STEP_MS,
  stepMs,
  untilTime,
  waitMs,
  UsageError,
} from "./flag-values.ts";
import { type Options, optionsOf } from "./program.ts";

/** What the commands run. Large ones are loaded when they run, so that a start loads only its own modules. */
export const commands = {
  backfill: lazy(async () => (await import("../backfill/backfill.ts")).backfill),
  check: lazy(async () => (await import("../check/check.ts")).check),
  healthcheck: lazy(async () => (await import("../healthcheck.ts")).healthcheck),
  once: lazy(async () => (await import("../daemon/run.ts")).once),
  printRules,
  probe: lazy(async () => (await import("../probe.ts")).probe),
  report: lazy(async () => (await import("../report.ts")).report),
  run: lazy(async () => (await import("../daemon/run.ts")).run),
  writeDashboards: lazy(async () => (await import("../write-dashboards.ts")).writeDashboards),
};

function lazy<Parameters extends unknown[]>(
  load: () => Promise<(...parameters: Parameters) => Promise<number>>,
) {
  return async (...parameters: Parameters) => (await load())(...parameters);
}

export type Commands = typeof commands;

interface Context {
  /** @param uses the flags of the program that the help of the command shows. */
  readonly command: (name: string, description: string, uses?: readonly string[]) => Command;
  readonly options: () => Options;
  readonly call: Commands;
  readonly terminal: Terminal;
  /** Receives the exit code. */
  readonly end: (exitCode: number) => void;
}

/** Adds every command to the program; `end` receives the exit code of the one that the command line has. */
export function addCommands(program: Command, terminal: Terminal, call: Commands, end: Context["end"]): void {
  const command: Context["command"] = (name, description, uses = ["--config.file"]) =>
    program
      .command(name)
      .description(description)
      .helpOption("-h, --help", "Print this help.")
      .configureHelp({
        showGlobalOptions: uses.length > 0,
        visibleGlobalOptions: () => program.options.filter(({ long }) => uses.includes(long ?? "")),
      });
  const context: Context = { command, options: () => optionsOf(program), call, terminal, end };
  for (const add of [addCheck, addHealthcheck, addProbe, addReport, addBackfill, addRules, addDashboards])
    add(context);
  program
    .command("simulate", { hidden: true })
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() => {
      throw new UsageError(
        "The command simulate is only in the npm package, and must be the first argument. In a checkout, use npm run demo",
      );
    });
}

function addCheck({ command, options, call, terminal, end }: Context): void {
  command("check", "Print every problem of the configuration.", [
    "--config.file",
    "--web.config.file",
    "--total-shards",
  ])
    .option("--online", "Also ask the gateway once. It costs no credits.")
    .action(async ({ online }: { readonly online?: true }) =>
      end(await call.check(options(), terminal, online === true)),
    );
}

function addHealthcheck({ command, call, terminal, end }: Context): void {
  command("healthcheck", "Exit with 0 if a running exporter answers.", [])
    .addOption(
      new Option("--url <url>", "Address of the exporter.")
        .argParser(link("url"))
        .default(`http://localhost:${DEFAULT_PORT}`),
    )
    .addOption(
      new Option("--wait <time>", "How long to wait for its start.").argParser(waitMs).default(0, "0s"),
    )
    .action(async ({ url, wait }: { readonly url: string; readonly wait: number }) =>
      end(await call.healthcheck({ url, waitMs: wait }, terminal)),
    );
}

function addProbe({ command, options, call, terminal, end }: Context): void {
  command("probe", "Run a probe once. It costs credits.")
    .argument("<name>", "The name of the probe.")
    .option("--force", "Run it even if it might exceed max_cost_per_day.")
    .action(async (name: string, { force }: { readonly force?: true }) =>
      end(await call.probe({ name, force: force === true }, options(), terminal)),
    );
}

function addReport({ command, options, call, terminal, end }: Context): void {
  command("report", "Print the spend of a month or a week.")
    .addOption(new Option("--month <YYYY-MM>", "Month, UTC; otherwise the last full one.").conflicts("last"))
    .addOption(new Option("--last <period>", "The last full month or week.").choices(["month", "week"]))
    .addOption(
      new Option("--by <what>", `How to divide it, one or two: ${REPORT_DIMENSIONS.join(", ")}.`)
        .argParser(reportDimensions)
        .default(["team"], "team"),
    )
    .addOption(
      new Option("--format <format>", "Output.")
        .choices(["markdown", "csv", "json", "focus"])
        .default("markdown"),
    )
    .addOption(
      new Option("--totals <rows>", "CSV: a last row with the total; otherwise none.").choices(CSV_TOTALS),
    )
    .addOption(
      new Option("--decimal <sign>", "CSV: comma also puts semicolons between cells.").choices(CSV_DECIMALS),
    )
    .option("--provider <name>", "FOCUS: who provides the gateway. (default: its host)")
    .option("--publisher <name>", "FOCUS: who makes it. (default: the provider)")
    .option("--invoice-issuer <name>", "FOCUS: who sends the invoice. (default: the provider)")
    .action(async (request: ReportRequest) => {
      refuseOtherFormats(request);
      end(await call.report(request, options(), terminal));
    });
}

/** @throws UsageError for a flag of another format. */
function refuseOtherFormats(request: ReportRequest): void {
  const { format, totals, decimal, provider, publisher, invoiceIssuer } = request;
  const ofFocus = { "--provider": provider, "--publisher": publisher, "--invoice-issuer": invoiceIssuer };
  const [flag] = Object.entries(ofFocus).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  for (const [name, value] of Object.entries({ totals, decimal }))
    if (value !== undefined && format !== "csv")
      throw new UsageError(`--${name} is for --format=csv only, not for ${format}`);
  if (flag !== undefined && format !== "focus")
    throw new UsageError(`${flag} is for --format=focus only, not for ${format}`);
}

function addBackfill({ command, options, call, terminal, end }: Context): void {
  command("backfill", "Write the past as files for Prometheus.")
    .option("--output <folder>", "Where to write the files.")
    .requiredOption("--instance <host:port>", "The label that Prometheus gives to the live series.")
    .option("--job <name>", "The job label of the live series.", "aigateway-exporter")
    .option("--gateway <name>", "The gateway label of the live series, if the scrape configuration sets it.")
    .option("--days <n>", `Days of the past, at most ${REACH_DAYS}.`, numberOfDays, 31)
    .option("--until <time>", "When the past ends and the live series begin, UTC; otherwise now.", untilTime)
    .addOption(
      new Option("--step <time>", "Time between two samples.").argParser(stepMs).default(STEP_MS, "5m"),
    )
    .addOption(new Option("--format <format>", "Output.").choices(PAST_FORMATS).default("openmetrics"))
    .option(
      "--url <url>",
      "The server that will store it: checks its retention, and sets --until.",
      serverUrl,
    )
    .option("--dry-run", "Print what it would ask and write.")
    .action(async (flags: BackfillFlags) => {
      const { output = "", gateway = "", until: untilMs, step, url, dryRun: isDryRun = false } = flags;
      if (output === "" && !isDryRun)
        throw new UsageError("The command backfill needs --output=FOLDER, or --dry-run");
      const { days, format, job, instance } = flags;
      const request = { days, untilMs, stepMs: step, format, job, instance, gateway };
      end(await call.backfill({ request, output, url, isDryRun }, options(), terminal));
    });
}

function addRules({ command, call, terminal, end }: Context): void {
  command("rules", "Print the alert rules.", [])
    .addOption(new Option("--format <format>", "Output.").choices(RULE_FORMATS).default("prometheus"))
    .option("--config <file>", "Your changes of alerts: off, severity, for, labels, annotations.")
    .option(
      "--runbook-base-url <url>",
      "Link to your runbooks; #alertname is appended.",
      link("runbook-base-url"),
    )
    .option("--dashboard-base-url <url>", "Link to Grafana, up to the uid.", link("dashboard-base-url"))
    .option(
      "--probe-interval <time>",
      "Longest time between two runs of a probe.",
      intervalSeconds("probe-interval"),
    )
    .action(async ({ format, config, probeInterval: probeIntervalSeconds, ...links }: RuleFlags) =>
      end(await call.printRules(format, { ...links, probeIntervalSeconds }, config, terminal)),
    );
}

function addDashboards({ command, call, terminal, end }: Context): void {
  command("dashboards", "Write the Grafana dashboards to a folder.", [])
    .requiredOption("--output <folder>", "Where to write them.")
    .action(async ({ output }: { readonly output: string }) =>
      end(await call.writeDashboards(output, terminal)),
    );
}

interface BackfillFlags {
  readonly output?: string;
  readonly instance: string;
  readonly job: string;
  readonly gateway?: string;
  readonly days: number;
  readonly until?: number;
  readonly step: number;
  readonly format: PastFormat;
  readonly url?: string;
  readonly dryRun?: true;
}

interface RuleFlags extends Pick<RuleOptions, "runbookBaseUrl" | "dashboardBaseUrl"> {
  readonly format: RuleFormat;
  readonly config?: string;
  readonly probeInterval?: number;
}
