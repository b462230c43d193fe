import { unmatchedText } from "../../budgets/unmatched.ts";
import { collectorGroups } from "../../collectors/collector-groups.ts";
import { createCollectorContext } from "../../collectors/collector.ts";
import { type Config, requestLimits } from "../../config/config.ts";
import type { AccountCredits, AccountKeys, Capabilities, KeyInformation } from "../../gateway/account.ts";
import type { GatewayError } from "../../gateway/errors.ts";
import type { Gateway, GatewayClient, Usage } from "../../gateway/port.ts";
import { createLog } from "../../log.ts";
import { clockWarning } from "../../metrics/app-metrics.ts";
import { createPacking } from "../../metrics/render/block.ts";
import { createReadings } from "../../readings/readings.ts";
import { createEngine } from "../../schedule/engine.ts";
import type { Job, JobGroup, Reporter } from "../../schedule/job.ts";
import type { Window } from "../../time/window.ts";
import { createCommandGateway } from "../command-gateway.ts";
import type { Terminal } from "../terminal.ts";
import { reachJobs } from "../../collectors/own-query.ts";

/** What one job found out. */
export interface Asked {
  readonly job: Job;
  /** Undefined: it succeeded, or it was not asked. */
  readonly failure: GatewayError | undefined;
  /** The gateway has no such operation, or not for this secret. */
  readonly isUnanswered: boolean;
  readonly warning: string | undefined;
  /** False: the gateway asked to wait before the job's turn. */
  readonly isAsked: boolean;
  /** Whether series_limit leaves no room for its series. */
  readonly isRefused: boolean;
  readonly answers: Answers;
}

/** What the gateway answered to one job; a field is absent without an answer. */
export interface Answers {
  /** Requests that were answered. */
  requests: number;
  key?: KeyInformation;
  /** `unsupported`: the service has no such operation. */
  capabilities?: Capabilities | "unsupported";
  credits?: AccountCredits | "unproved" | "unsupported";
  keys?: AccountKeys;
  usage?: Usage;
  range?: Window;
}

/** The answers to every job, and the warnings that the running exporter would log about budgets and clocks. */
export interface Online {
  readonly atMs: number;
  readonly asked: readonly Asked[];
  readonly warnings: readonly string[];
}

/**
 * Runs every unpaid job of a configuration once, at the pace and with the retries of the daemon, and the requests that
 * find out how far back queries reach. Nothing is served or kept. If the first requests cannot even be sent, the others
 * are not tried.
 */
export async function requestOnline(
  config: Config,
  terminal: Pick<Terminal, "clock" | "random" | "build">,
): Promise<Online> {
  const { clock, random } = terminal;
  const answers = new Map<string, Answers>();
  const outcomes = new Map<Job, Pick<Asked, "failure" | "isUnanswered" | "warning">>();
  const refused = new Set<Job>();
  const unreachable = Promise.withResolvers<void>();
  const reporter: Reporter = {
    ended: (job, { failure, isUnanswered, warning }) => {
      outcomes.set(job, { failure, isUnanswered, warning });
      const isSent = [...outcomes.values()].some((one) => !one.failure || one.failure.status !== undefined);
      const isLost = failure?.kind === "network" || failure?.details.code === "UND_ERR_CONNECT_TIMEOUT";
      if (isLost && !isSent) unreachable.resolve();
    },
    refused: (job, series) => void (series > 0 && refused.add(job)),
    paused: () => {},
  };
  let clocks: string | undefined;
  const gateway = createCommandGateway(config, terminal, (_endpoint, _code, dateMs) => {
    clocks ??= clockWarning(dateMs, clock.now());
  });
  const readings = createReadings(clock, createPacking(), () => config.seriesLimit);
  const groups = [
    ...collectorGroups(config, () => reporter, createCollectorContext(readings, clock)),
    ...reach(config, reporter),
  ];
  const { connections, maxPauseMs } = config.gateway;
  const limits = { perMinute: requestLimits(config.gateway), connections, maxPauseMs };
  // The report shows every outcome, so nothing needs to be logged.
  const log = createLog("error", "json", { write: () => {} });
  const plan = { gateway: recording(gateway, answers), limits, groups };
  const engine = createEngine(plan, { clock, random, log, readings });
  try {
    await Promise.race([engine.runAll(), unreachable.promise]);
  } finally {
    await engine.stop();
    await gateway.close();
  }
  const asked = groups.flatMap(({ jobs }) =>
    jobs.map((job) => ({
      job,
      ...(outcomes.get(job) ?? { failure: undefined, isUnanswered: false, warning: undefined }),
      isAsked: outcomes.has(job),
      isRefused: refused.has(job),
      answers: answers.get(job.id) ?? { requests: 0 },
    })),
  );
  return {
    atMs: clock.now(),
    asked,
    warnings: [
      ...(clocks === undefined ? [] : [clocks]),
      ...config.budgets.flatMap((budget) => unmatchedText(budget, readings, clock.now()) ?? []),
    ],
  };
}

function reach(config: Config, reporter: Reporter): readonly JobGroup[] {
  const jobs = reachJobs(config);
  const expression = config.schedule.analytics;
  return jobs.length === 0 ? [] : [{ name: "reach", expression, jobs, reporter, isPaid: false }];
}

/** The gateway with a record of its answers to each job. */
function recording(gateway: Gateway, all: Map<string, Answers>): Gateway {
  return {
    close: () => gateway.close(),
    clientFor: (caller) => {
      const answers: Answers = { requests: 0 };
      all.set(caller.id ?? "", answers);
      const { permits } = caller;
      const next: typeof permits.next = async (signal, purpose) => {
        const permit = await permits.next(signal, purpose);
        return {
          release: (outcome) => {
            if (outcome.answered === true && !outcome.throttled) answers.requests++;
            permit.release(outcome);
          },
        };
      };
      return recordingClient(gateway.clientFor({ ...caller, permits: { next } }), answers);
    },
  };
}

function recordingClient(client: GatewayClient, answers: Answers): GatewayClient {
  return {
    ...client,
    currentKey: async (secret) => (answers.key = await client.currentKey(secret)),
    usage: async (question, secret) => {
      answers.range = question.range;
      return (answers.usage = await client.usage(question, secret));
    },
    capabilities: async (secret) => {
      const capabilities = await client.capabilities(secret);
      answers.capabilities = capabilities ?? "unsupported";
      return capabilities;
    },
    accountKeys: async (workspace, secret) => (answers.keys = await client.accountKeys(workspace, secret)),
    credits: async (secret) => (answers.credits = await client.credits(secret)),
    transcribe: () => Promise.reject(new Error("A check costs no credits")),
  };
}
