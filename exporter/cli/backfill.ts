import { askPast, PastError } from "../backfill/ask-past.ts";
import { estimateOf } from "../backfill/estimate.ts";
import { makePlan, requestText } from "../backfill/make-plan.ts";
import {
  type BackfillPlan,
  type BackfillRequest,
  planTimes,
  REACH_DAYS,
  SHORT_REACH_DAYS,
} from "../backfill/plan.ts";
import type { InspectedServer } from "../backfill/inspect-server.ts";
import { PrometheusError } from "../backfill/prometheus-api.ts";
import { openStateFile, type StateFile, StateError } from "../backfill/state-file.ts";
import { writeDays } from "../backfill/write-days.ts";
import type { AnalyticsConfig, Config } from "../config/config.ts";
import { withoutSecrets } from "../config/secret.ts";
import { GatewayError } from "../gateway/errors.ts";
import { createGateway } from "../gateway/gateway.ts";
import type { Endpoint, Gateway } from "../gateway/port.ts";
import type { Clock } from "../time/clock.ts";
import { DAY_MS, windowAt } from "../time/window.ts";
import type { CommandLine } from "./command-line.ts";
import { askServer, warnOfServer } from "./backfill-server.ts";
import { writeImport } from "./backfill-import.ts";
import { loadConfiguration, type Reporter, terminalReporter } from "./load-configuration.ts";
import { pacedClients } from "./paced-clients.ts";
import type { Terminal } from "./terminal.ts";
import { utcText } from "../time/utc-time.ts";
import { folderFault } from "./write-dashboards.ts";

type BackfillLine = Extract<CommandLine, { readonly command: "backfill" }>;

/**
 * Writes the past that the gateway remembers as files for `promtool`. Exit code 1 if it cannot be asked or written;
 * the same command then continues.
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
  const questions = pastGateway(gateway, config, analytics, clock);
  try {
    const server = url === undefined ? undefined : await askServer(url, request, terminal);
    const context: Context = { request, output, config, server, questions, terminal, reporter };
    return await (isDryRun ? dryRun(context) : run(context));
  } catch (error) {
    reporter.problem(`Cannot backfill: ${problemOf(error, output)}`);
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
  readonly questions: ReturnType<typeof pastGateway>;
  readonly terminal: Terminal;
  readonly reporter: Reporter;
}

/** The request cannot be fulfilled. */
class RequestError extends Error {}

async function run(context: Context): Promise<number> {
  const { request, output, config, server, questions, terminal, reporter } = context;
  const known = requestText(request, config);
  const state = await openStateFile(output);
  if (state.plan && state.plan.request !== known)
    throw new RequestError(
      `"${output}" (--output) has the files of another backfill (other flags, gateway or top): use an empty folder`,
    );
  if (!state.plan) await state.begin(await planOf(context));
  const { plan } = state;
  if (!plan) return 1;
  if (server) warnOfServer(server, plan, reporter);
  else if (request.untilMs === undefined)
    reporter.warning(
      `the past ends at ${utcText(plan.untilMs)}. If Prometheus has live series from before that, set --until to their beginning`,
    );
  if (await ask(plan, state, questions, terminal))
    reporter.warning(
      "the credits may contain usage that your own provider keys paid for (BYOK), because the gateway does not report it separately",
    );
  let files = 0;
  for await (const { name, bytes } of writeDays(plan, state, output)) {
    files++;
    if (bytes !== undefined) terminal.stderr.write(`wrote ${name}, ${megabytes(bytes)}\n`);
  }
  terminal.stdout.write(withoutSecrets(await writeImport(plan, output, files)));
  return 0;
}

async function dryRun(context: Context): Promise<number> {
  const { questions, terminal } = context;
  const plan = await planOf(context);
  if (context.server) warnOfServer(context.server, plan, context.reporter);
  const { startMs } = windowAt("day", plan.untilMs - 1);
  const range = { startMs: Math.max(plan.dataStartMs, startMs - DAY_MS), endMs: plan.untilMs };
  const { rows } = await questions.usageSeries({ range, granularity: "day", dimensions: ["model", "app"] });
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
  return 0;
}

async function planOf(context: Context): Promise<BackfillPlan> {
  const { request, config, server, questions, terminal, reporter } = context;
  const nowMs = terminal.clock.now();
  const wanted = { days: request.days, untilMs: endOf(request, server) };
  let times = planTimes(wanted, nowMs, REACH_DAYS);
  if (typeof times !== "string" && !(await isReached(times, nowMs, questions)))
    times = planTimes(wanted, nowMs, SHORT_REACH_DAYS);
  if (typeof times === "string") throw new RequestError(times);
  return makePlan(request, times, config, nowMs, questions, (text) => reporter.warning(text));
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
    await questions.usageSeries({ range, granularity: "day", dimensions: [] });
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

/** Returns whether the credits may contain BYOK. */
async function ask(
  plan: BackfillPlan,
  state: StateFile,
  questions: Context["questions"],
  { stderr, clock }: Pick<Terminal, "stderr" | "clock">,
): Promise<boolean> {
  let isByokUnknown = false;
  let shownAt = clock.monotonic();
  const { requests } = estimateOf(plan, 0);
  for await (const answer of askPast(plan, state.answered, questions)) {
    await state.add(answer);
    isByokUnknown ||= answer.isByokUnknown;
    if (clock.monotonic() - shownAt < PROGRESS_MS) continue;
    shownAt = clock.monotonic();
    const answers = state.answered.count();
    const minutes = Math.ceil((requests - answers) / PER_MINUTE);
    const left = minutes > 0 ? `, about ${minutes} min left` : "";
    stderr.write(
      `asked until ${utcText(answer.range.endMs)}: ${answers} of at least ${requests} questions${left}\n`,
    );
  }
  return isByokUnknown;
}

const PROGRESS_MS = 10_000;
/** The pace of the analytics endpoint. */
const PER_MINUTE = 60;

function pastGateway(
  gateway: Pick<Gateway, "clientFor">,
  config: Config,
  { managementKey }: AnalyticsConfig,
  clock: Clock,
) {
  const clientOf = (endpoint: Endpoint, name = "backfill") =>
    pacedClients(gateway, config.gateway, clock, { endpoint, name, signal: NEVER });
  const [analytics, account, key] = [clientOf("analytics"), clientOf("account"), clientOf("key")];
  return {
    usageSeries: (question: Parameters<ReturnType<typeof analytics>["usageSeries"]>[0]) =>
      analytics().usageSeries(question, managementKey),
    usage: (question: Parameters<ReturnType<typeof analytics>["usage"]>[0]) =>
      analytics().usage(question, managementKey),
    accountKeys: (workspace: string | undefined) => account().accountKeys(workspace, managementKey),
    currentKey: ({ secret }: Config["keys"][number]) => key().currentKey(secret),
  };
}

const NEVER = new AbortController().signal;

function problemOf(error: unknown, output: string): string {
  if (error instanceof RequestError || error instanceof StateError) return error.message;
  if (error instanceof PastError) return `${error.message}, so sums would be wrong`;
  if (error instanceof PrometheusError) return `${error.message} (--url)`;
  if (error instanceof GatewayError && error.kind === "bad_request") return error.message;
  if (error instanceof GatewayError) return `${error.message}. The same command continues`;
  return `"${output}" (--output): ${folderFault(error)}. The same command continues`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
