import { FAILURE_REASONS, type FailureReason } from "../gateway/errors.ts";
import type { Log } from "../log.ts";
import { selfFamilies } from "../metrics/self-families.ts";
import type { SelfRegistry } from "../metrics/self-registry.ts";
import type { EventLog, TargetEvent } from "./event-log.ts";
import type { Job, Reporter } from "./job.ts";

/** Makes the reporter of each collector; their metrics are shared. */
export function createPollReporters(
  registry: SelfRegistry,
  log: Log,
  events: Pick<EventLog, "report">,
): (collector: string) => Reporter {
  const metrics = {
    polls: registry.counter(selfFamilies.polls),
    failures: registry.counter(selfFamilies.pollFailures),
    refused: registry.counter(selfFamilies.refusedAnswers),
    duration: registry.histogram(selfFamilies.pollDuration),
    concealed: registry.counter(selfFamilies.concealedLabels),
  };
  const reporters = new Map<string, Reporter>();

  function create(collector: string): Reporter {
    // The counters begin at 0 instead of being absent.
    metrics.polls.inc({ collector }, 0);
    metrics.refused.inc({ collector }, 0);
    metrics.concealed.inc({ collector }, 0);
    metrics.duration.zero({ collector });
    for (const reason of FAILURE_REASONS) metrics.failures.inc({ collector, reason }, 0);
    // Created when there is something to log, because few of thousands of runs log anything.
    const fieldsOf = ({ id }: Job) => ({ collector, target: id });
    const report = (
      job: Job,
      { kind, fields, ...event }: Pick<TargetEvent, "level" | "message"> & { kind: string; fields?: object },
    ) => {
      const { title, name } = job;
      const cause = `${collector} ${kind}`;
      events.report({ ...event, cause, title, name, fields: { ...fieldsOf(job), ...fields } });
    };

    return {
      ended: (job, { durationMs, failure, cause, warning, concealedLabels }, before) => {
        metrics.polls.inc({ collector });
        metrics.duration.observe({ collector }, durationMs / 1000);
        metrics.concealed.inc({ collector }, concealedLabels);
        if (failure) {
          const { kind: reason, message, status, details } = failure;
          const { limitSource, refusalReason } = details;
          const { name, means, advice } = cause ?? {};
          const fields = { reason, status, limitSource, refusalReason, cause: name, means, advice };
          metrics.failures.inc({ collector, reason });
          // Logged once, and again only when the reason changes, because a failing key would otherwise flood the log.
          if (before.failure?.reason === reason) return log.debug({ ...fieldsOf(job), ...fields }, message);
          const level = MUST_ACT.has(reason) ? "error" : "warn";
          return report(job, { level, kind: `failed ${reason}`, fields, message });
        }
        if (before.failure) {
          const { reason } = before.failure;
          const message = `Polling ${job.title} works again`;
          report(job, { level: "info", kind: "works again", fields: { reason }, message });
        } else log.debug(fieldsOf(job), `Polled ${job.title}`);
        if (warning !== undefined && warning !== before.warning)
          report(job, { level: "warn", kind: "warning", message: `Polled ${job.title}, but ${warning}` });
      },
      refused: (job, series) => {
        metrics.refused.inc({ collector });
        const message = `Cannot show ${job.title}: series_limit is reached`;
        report(job, { level: "error", kind: "refused", fields: { series }, message });
      },
      paused: (job) => log.debug(fieldsOf(job), `Cannot poll ${job.title} now: the gateway asked to wait`),
    };
  }

  // One for the life of the process: a reload must not set a histogram back to zero.
  return (collector) => {
    const reporter = reporters.get(collector) ?? create(collector);
    reporters.set(collector, reporter);
    return reporter;
  };
}

/** Reasons that persist until someone changes a key, a permission or the configuration. */
const MUST_ACT: ReadonlySet<FailureReason> = new Set([
  "unauthorized",
  "forbidden",
  "bad_request",
  "secret_unreadable",
]);
