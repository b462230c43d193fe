import type { Config, ProbeConfig, ProbingConfig } from "../config/config.ts";
import { identityOf } from "../config/secret.ts";
import type { Log } from "../log.ts";
import type { Sample } from "../metrics/family.ts";
import type { SelfRegistry } from "../metrics/self-registry.ts";
import { selfFamilies } from "../metrics/self-families.ts";
import type { ReadingSource } from "../readings/readings.ts";
import { type TargetId, targetId } from "../readings/target-id.ts";
import type { JobGroup } from "../schedule/plan.ts";
import type { Clock } from "../time/clock.ts";
import { createProbeJob } from "./probe-job.ts";
import { createProbeRecords, type ProbeRecord } from "./probe-records.ts";
import { createProbeReporter } from "./probe-reporter.ts";
import { spendSamples } from "./probe-samples.ts";
import { createSpendGuard } from "./spend-guard.ts";
import { createSpendWatch } from "./spend-watch.ts";

/** The transcription probes: paid jobs on schedules of their own, within what they may spend. */
export interface Probes {
  /** The probes of a configuration as jobs, which the engine runs. */
  groups(config: Pick<Config, "probing" | "gateway">): readonly JobGroup[];
  /** Learns what the probes may spend. `ask` makes the job of a target due; `onChange` is called when credits are set aside. */
  start(ask: (id: TargetId) => void, onChange: () => void): void;
  stop(): void;
  /** To be called after the readings have changed: probes that were put off until the spend of the day is known run then. */
  readingsChanged(): void;
  /** The spend of all probes, for the readings to derive. */
  sources(): ReadonlyMap<TargetId, () => readonly Sample[]>;
  /** Undefined: the probe is not configured. */
  record(name: string): ProbeRecord | undefined;
  /** Credits that count against the ceiling of the day; undefined: not known yet. */
  spentToday(): number | undefined;
}

export interface ProbesDependencies {
  readonly clock: Clock;
  readonly log: Log;
  readonly registry: SelfRegistry;
  readonly readings: ReadingSource;
}

export function createProbes({ clock, log, registry, readings }: ProbesDependencies): Probes {
  let probing: ProbingConfig | undefined;
  let ask: (id: TargetId) => void = () => {};
  let onChange = () => {};
  const configured = () => probing?.probes ?? [];
  const longestRunMs = () => Math.max(0, ...configured().map(({ timeoutMs }) => timeoutMs));
  const guard = createSpendGuard(clock.now(), longestRunMs);
  const records = createProbeRecords();
  const watch = createSpendWatch({ clock, guard, readings, probes: configured });
  const refused = registry.counter(selfFamilies.refusedAnswers);
  /** Probes that are due and wait until the spend of the day is known. */
  const putOff = new Set<TargetId>();

  function groupOf(probe: ProbeConfig, question: string, limits: ProbingConfig): JobGroup {
    const own = {
      clock,
      log: log.child({ probe: probe.name }),
      guard,
      watch,
      records,
      putOff,
      refused,
      onChange: () => onChange(),
    };
    const job = createProbeJob(probe, question, limits, own);
    const reporter = createProbeReporter(probe.name, own);
    return { name: job.id, expression: probe.schedule, jobs: [job], reporter, isPaid: true };
  }

  return {
    groups: ({ probing: next, gateway }) => {
      probing = next;
      if (!next) return [];
      const known = next.probes.map((probe) => ({ probe, question: questionOf(probe, gateway.baseUrl) }));
      records.configure(known.map(({ probe: { name }, question }) => ({ name, question })));
      refused.inc({ collector: "probe" }, 0);
      return known.map(({ probe, question }) => groupOf(probe, question, next));
    },
    start: (askFor, changed) => {
      [ask, onChange] = [askFor, changed];
      watch.start(askFor);
    },
    stop: watch.stop,
    readingsChanged: () => {
      if (putOff.size === 0 || !watch.isKnown()) return;
      const ready = [...putOff];
      putOff.clear();
      for (const id of ready) ask(id);
    },
    sources: () =>
      new Map([
        [
          targetId("probe-spend", "day"),
          () => (probing ? spendSamples(probing, guard, watch.isKnown(), clock.now()) : []),
        ],
      ]),
    record: records.get,
    spentToday: () => (probing && watch.isKnown() ? guard.spent(clock.now()) : undefined),
  };
}

/** Everything that decides what the values of a probe mean. */
function questionOf(probe: ProbeConfig, gateway: string): string {
  const { model, audio, expectedText, expectedLanguage, responseFormat, upload, key, secret } = probe;
  const { origin, format } = audio;
  const asked = [gateway, key, identityOf(secret), model, origin, format, responseFormat, upload];
  return JSON.stringify([...asked, expectedText, expectedLanguage ?? null]);
}
