import { ACCOUNT_NAME, PAIRS_NAME } from "../../backfill/answers.ts";
import { askPast, PastError, type PastGateway } from "../../backfill/ask-past.ts";
import { estimateOf } from "../../backfill/estimate.ts";
import { makePlan, type PlanGateway, requestText } from "../../backfill/make-plan.ts";
import {
  type BackfillPlan,
  type BackfillRequest,
  type PlanTimes,
  planTimes,
  REACH_DAYS,
  SHORT_REACH_DAYS,
  withoutKey,
} from "../../backfill/plan.ts";
import type { InspectedServer } from "../../backfill/inspect-server.ts";
import { PrometheusError } from "../../backfill/prometheus-api.ts";
import { openStateFile, type StateFile, StateError } from "../../backfill/state-file.ts";
import { writeDays } from "../../backfill/write-days.ts";
import type { Config } from "../../config/config.ts";
import { withoutSecrets } from "../../config/secret.ts";
import { GatewayError } from "../../gateway/errors.ts";
import { createGateway } from "../../gateway/gateway.ts";
import { DAY_MS, windowAt } from "../../time/window.ts";
import type { CommandLine } from "../command-line/command-line.ts";
import { askServer, warnOfServer } from "./ask-server.ts";
import { writeImport } from "./write-import.ts";
import { loadConfiguration, type ProblemReporter, terminalReporter } from "../load-configuration.ts";
import { createPastGateway } from "./past-gateway.ts";
import type { Terminal } from "../terminal.ts";
import { utcText } from "../../time/utc-time.ts";
import { folderFault } from "../write-dashboards.ts";

type BackfillLine = Extract<CommandLine, { readonly command: "backfill" }>;

/**
 * Writes the past that the gateway remembers as files for `promtool`. Exit code 1 if it cannot be asked or written, or
 * if a part is missing; the same command then continues.
 */
export async function backfill(
  { request, output, url, isDryRun, options: { configFile } }: BackfillLine,
  terminal: Terminal,
): Promise<number> {
  const { env, clock, random, build } = terminal;
  const reporter = terminalReporter(terminal);
  const config = await loadConfiguration(configFile, env, reporter);
  if (!config) return 1;
  const { analytics } = config;
  if (!analytics) {
    reporter.problem(`${configFile}: a backfill needs the section analytics, with a management key`);
    return 1;
  }
  const dependencies = { clock, version: build.version, random, onAnswer: () => {} };
  const gateway = createGateway(config.gateway, dependencies);
  const questions = createPastGateway(gateway, config, analytics, clock);
  try {
    const server = url === undefined ? undefined : await askServer(url, request, terminal);
    const context: Context = { request, output, config, server, questions, terminal, reporter };
    return await (isDryRun ? dryRun(context) : run(context));
  } catch (error) {
    reporter.problem(problemOf(error, output));
    return 1;
  } finally {
    await gateway.close();
  }
}

interface Context {
  readonly request: BackfillRequest;
  readonly output: string;
  readonly config: Config;
  readonly server: InspectedServer | undefined;
  readonly questions: PastGateway & PlanGateway;
  readonly terminal: Terminal;
  readonly reporter: ProblemReporter;
}

/** The request cannot be fulfilled. */
class RequestError extends Error {}

async function run(context: Context): Promise<number> {
  const { request, output, config, server, terminal, reporter } = context;
  const known = requestText(request, config);
  const state = await openStateFile(output);
  if (state.plan && state.plan.request !== known)
    throw new RequestError(
      `"${output}" (--output) has the files of another backfill (other flags, gateway or top): use an empty folder`,
    );
  const former = state.plan;
  let plan = former && former.problems.length === 0 ? former : await planOf(context, former);
  if (plan !== former) await state.begin(plan);
  if (server) warnOfServer(server, plan, reporter);
  else if (request.untilMs === undefined)
    reporter.warning(
      `the past ends at ${utcText(plan.untilMs)}. If Prometheus has live series from before that, set --until to their beginning`,
    );
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
  terminal.stdout.write(withoutSecrets(await writeImport(plan, output, files)));
  return exitCodeOf(plan);
}

function exitCodeOf({ problems }: BackfillPlan): number {
  return problems.length === 0 ? 0 : 1;
}

async function dryRun(context: Context): Promise<number> {
  const { questions, terminal } = context;
  const plan = await planOf(context, undefined);
  if (context.server) warnOfServer(context.server, plan, context.reporter);
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
  return exitCodeOf(plan);
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
  let times = planTimes(wanted, nowMs, REACH_DAYS);
  if (typeof times !== "string" && !(await isReached(times, nowMs, questions)))
    times = planTimes(wanted, nowMs, SHORT_REACH_DAYS);
  if (typeof times === "string") throw new RequestError(times);
  return times;
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

/** The past ends where the series of the server begin. @throws RequestError if it would overlap with them. */
function endOf({ untilMs }: BackfillRequest, server: InspectedServer | undefined): number | undefined {
  const firstMs = server?.firstMs;
  if (untilMs === undefined || firstMs === undefined || untilMs <= firstMs) return untilMs ?? firstMs;
  throw new RequestError(
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
  for await (const answer of askPast(plan, state.answered, questions, leaveOut)) {
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
  if (error instanceof PastError)
    return `Cannot backfill ${error.subject}: ${error.message}, so sums would be wrong`;
  return `Cannot backfill: ${reasonOf(error, output)}`;
}

function reasonOf(error: unknown, output: string): string {
  if (error instanceof RequestError || error instanceof StateError) return error.message;
  if (error instanceof PrometheusError) return `${error.message} (--url)`;
  if (error instanceof GatewayError && error.kind === "bad_request") return error.message;
  if (error instanceof GatewayError) return `${error.message}. The same command continues`;
  return `"${output}" (--output): ${folderFault(error)}. The same command continues`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
