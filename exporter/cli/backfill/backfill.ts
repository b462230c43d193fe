import { ACCOUNT_NAME, PAIRS_NAME } from "../../backfill/answers.ts";
import { PastError, type PastGateway, requestPast } from "../../backfill/request-past.ts";
import { estimateOf } from "../../backfill/estimate.ts";
import {
  BackfillError,
  type BackfillPlan,
  type BackfillRequest,
  makePlan,
  type PlanGateway,
  type PlanTimes,
  planTimes,
  REACH_DAYS,
  requestText,
  SHORT_REACH_DAYS,
  withoutKey,
} from "../../backfill/plan.ts";
import { type InspectedServer, inspectServer } from "../../backfill/inspect-server.ts";
import { createPrometheusApi, PrometheusError } from "../../backfill/prometheus-api.ts";
import { openStateFile, type StateFile } from "../../backfill/state-file.ts";
import { writeDays } from "../../backfill/write-days.ts";
import type { Config } from "../../config/config.ts";
import { redact } from "../../secrets/redact.ts";
import { GatewayError } from "../../gateway/errors.ts";
import { DAY_MS, windowAt } from "../../time/window.ts";
import type { Options } from "../command-line/program.ts";
import { writeImport } from "./write-import.ts";
import { loadConfiguration, type ProblemReporter, terminalReporter } from "../load-configuration.ts";
import { createAccountGateway, createCommandGateway } from "../command-gateway.ts";
import type { Terminal } from "../terminal.ts";
import { utcText } from "../../time/utc-time.ts";
import { folderFault } from "../write-dashboards.ts";

export interface BackfillOrder {
  readonly request: BackfillRequest;
  /** The folder to write to. */
  readonly output: string;
  /** The server that is to take the past and is asked about it, with user and password; undefined: none. */
  readonly url: string | undefined;
  /** Print what it would ask and write. */
  readonly isDryRun: boolean;
}

/**
 * Writes the past that the gateway remembers as files for `promtool`. Exit code 1 if it cannot be asked or written, or
 * if a part is missing; the same command then continues.
 */
export async function backfill(
  { request, output, url, isDryRun }: BackfillOrder,
  { configFile }: Pick<Options, "configFile">,
  terminal: Terminal,
): Promise<number> {
  const { env, clock } = terminal;
  const reporter = terminalReporter(terminal);
  const config = await loadConfiguration(configFile, env, reporter);
  if (!config) return 1;
  const { analytics } = config;
  if (!analytics) {
    reporter.problem(`${configFile}: a backfill needs the section analytics, with a management key`);
    return 1;
  }
  const gateway = createCommandGateway(config, terminal);
  const questions = createAccountGateway(gateway, config, analytics, clock);
  try {
    const server = url === undefined ? undefined : await inspectedServer(url, request, terminal);
    const context: Context = { request, output, url, config, server, questions, terminal, reporter };
    return await (isDryRun ? dryRun(context) : run(context));
  } catch (error) {
    reporter.problem(problemOf(error, output));
    return 1;
  } finally {
    await gateway.close();
  }
}

interface Context extends Pick<BackfillOrder, "request" | "output" | "url"> {
  readonly config: Config;
  readonly server: InspectedServer | undefined;
  readonly questions: PastGateway & PlanGateway;
  readonly terminal: Terminal;
  readonly reporter: ProblemReporter;
}

/** The address for a command that a person runs; curl takes the login from elsewhere. */
function withoutLogin(url: string | undefined): string | undefined {
  return url?.replace(/\/\/[^/]*@/, "//");
}

/** Asks the server of `--url`, and prints what it reports. @throws PrometheusError */
async function inspectedServer(
  url: string,
  request: BackfillRequest,
  { stderr, clock }: Pick<Terminal, "stderr" | "clock">,
): Promise<InspectedServer> {
  const server = await inspectServer(createPrometheusApi(url), request, clock.now());
  const series =
    server.firstMs === undefined
      ? "It does not have these series yet"
      : `These series begin at ${utcText(server.firstMs)}`;
  stderr.write(`${server.name} keeps ${server.retention || "an unknown time"}. ${series}.\n`);
  return server;
}

async function run(context: Context): Promise<number> {
  const { request, output, config, server, terminal, reporter } = context;
  const known = requestText(request, config);
  const state = await openStateFile(output);
  if (state.plan && state.plan.request !== known)
    throw new BackfillError(
      `"${output}" (--output) has the files of another backfill (other flags, gateway or top): use an empty folder`,
    );
  const former = state.plan;
  let plan = former && former.problems.length === 0 ? former : await planOf(context, former);
  if (plan !== former) await state.begin(plan);
  for (const text of server ? server.warnings(plan) : endWarnings(request, plan)) reporter.warning(text);
  const complete = await ask(plan, state, context);
  if (complete !== plan) await state.begin((plan = complete));
  if (state.mayHaveByok())
    reporter.warning(
      "the credits may contain usage that your own provider keys paid for (BYOK), because the gateway does not report it separately",
    );
  let files = 0;
  for await (const { name, bytes } of writeDays(plan, state, output)) {
    files++;
    if (bytes !== undefined) terminal.stderr.write(`wrote ${name}, ${megabytes(bytes)}\n`);
  }
  terminal.stdout.write(redact(await writeImport(plan, output, files, withoutLogin(context.url))));
  return plan.problems.length === 0 ? 0 : 1;
}

/** Without a server nobody knows where its series begin. */
function endWarnings(request: BackfillRequest, plan: BackfillPlan): readonly string[] {
  if (request.untilMs !== undefined) return [];
  return [
    `the past ends at ${utcText(plan.untilMs)}. If Prometheus has live series from before that, set --until to their beginning`,
  ];
}

async function dryRun(context: Context): Promise<number> {
  const { questions, terminal } = context;
  const plan = await planOf(context, undefined);
  for (const text of context.server?.warnings(plan) ?? []) context.reporter.warning(text);
  const { startMs } = windowAt("day", plan.untilMs - 1);
  const range = { startMs: Math.max(plan.dataStartMs, startMs - DAY_MS), endMs: plan.untilMs };
  const question = { range, granularity: "day", dimensions: ["model", "app"] } as const;
  const { rows } = await questions.usageSeries(question, PAIRS_NAME);
  const { requests, samples, bytes, files } = estimateOf(plan, Math.ceil(rows.length / 2));
  const [from, until, hours] = [plan.startMs, plan.untilMs, plan.hoursStartMs].map((ms) => utcText(ms));
  terminal.stdout.write(
    [
      `From ${from} until ${until}, by hour from ${hours} on, ${plan.keys.length} keys.`,
      `Asks: about ${requests} requests in ${Math.ceil(requests / PER_MINUTE)} min.`,
      `Writes: ${files} files with about ${samples} samples, ${megabytes(bytes)}.`,
      "",
    ].join("\n"),
  );
  return plan.problems.length === 0 ? 0 : 1;
}

/** @param former an incomplete plan, whose times the new one keeps. */
async function planOf(context: Context, former: BackfillPlan | undefined): Promise<BackfillPlan> {
  const { request, config, questions, terminal, reporter } = context;
  const nowMs = terminal.clock.now();
  const times = former ?? (await timesOf(context, nowMs));
  const plan = await makePlan(request, times, config, nowMs, questions);
  for (const problem of plan.problems) reporter.warning(problem);
  return plan;
}

async function timesOf({ request, server, questions }: Context, nowMs: number): Promise<PlanTimes> {
  const wanted = { days: request.days, untilMs: endOf(request, server) };
  const times = planTimes(wanted, nowMs, REACH_DAYS);
  return (await isReached(times, nowMs, questions)) ? times : planTimes(wanted, nowMs, SHORT_REACH_DAYS);
}

/** Whether the gateway remembers the first day. The answer is not kept. */
async function isReached(
  { dataStartMs }: Pick<BackfillPlan, "dataStartMs">,
  nowMs: number,
  questions: Context["questions"],
): Promise<boolean> {
  if (nowMs - dataStartMs < SHORT_REACH_DAYS * DAY_MS) return true;
  const range = { startMs: dataStartMs, endMs: dataStartMs + DAY_MS };
  try {
    await questions.usageSeries({ range, granularity: "day", dimensions: [] }, ACCOUNT_NAME);
    return true;
  } catch (error) {
    if (error instanceof GatewayError && error.kind === "bad_request") return false;
    throw error;
  }
}

/** The past ends where the series of the server begin. @throws BackfillError if it would overlap with them. */
function endOf({ untilMs }: BackfillRequest, server: InspectedServer | undefined): number | undefined {
  const firstMs = server?.firstMs;
  if (untilMs === undefined || firstMs === undefined || untilMs <= firstMs) return untilMs ?? firstMs;
  throw new BackfillError(
    `the server has these series since ${utcText(firstMs)}, and ${utcText(untilMs)} (--until) is after that: leave --until out`,
  );
}

/**
 * Returns the plan without the keys about which the gateway has no usable answer, which are then problems of
 * the plan.
 */
async function ask(
  plan: BackfillPlan,
  state: StateFile,
  { questions, reporter, terminal: { stderr, clock } }: Context,
): Promise<BackfillPlan> {
  let complete = plan;
  const leaveOut = (hash: string, error: unknown) => {
    if (!isAboutOneKey(error)) throw error;
    const { problems } = complete;
    complete = withoutKey(complete, hash, error.message);
    for (const problem of complete.problems.slice(problems.length)) reporter.warning(problem);
  };
  let shownAt = clock.monotonic();
  const { requests } = estimateOf(plan, 0);
  const open = requests - state.answered.count();
  if (open > 0)
    stderr.write(`asks at least ${open} questions, which takes about ${Math.ceil(open / PER_MINUTE)} min\n`);
  for await (const answer of requestPast(plan, state.answered, questions, leaveOut)) {
    await state.add(answer);
    if (clock.monotonic() - shownAt < PROGRESS_MS) continue;
    shownAt = clock.monotonic();
    const answers = state.answered.count();
    const minutes = Math.ceil((requests - answers) / PER_MINUTE);
    const left = minutes > 0 ? `, about ${minutes} min left` : "";
    stderr.write(
      `asked until ${utcText(answer.range.endMs)}: ${answers} of at least ${requests} questions${left}\n`,
    );
  }
  return complete;
}

/** Whether a question about another key may succeed. */
function isAboutOneKey(error: unknown): error is Error {
  if (error instanceof GatewayError) return error.kind === "bad_request" || error.kind === "bad_response";
  return error instanceof PastError;
}

const PROGRESS_MS = 10_000;
/** The pace of the analytics endpoint. */
const PER_MINUTE = 60;

function problemOf(error: unknown, output: string): string {
  const text = `Cannot backfill: ${error instanceof Error ? error.message : String(error)}`;
  if (error instanceof PastError)
    return `Cannot backfill ${error.subject}: ${error.message}, so sums would be wrong`;
  if (error instanceof BackfillError) return text;
  if (error instanceof PrometheusError) return `${text} (--url)`;
  if (error instanceof GatewayError)
    return error.kind === "bad_request" ? text : `${text}. The same command continues`;
  return `Cannot backfill: "${output}" (--output): ${folderFault(error)}. The same command continues`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
