import type { Config, ProbeConfig, ProbingConfig } from "../config/config.ts";
import { identityOf } from "../config/secret.ts";
import type { Log } from "../log.ts";
import type { Sample } from "../metrics/family.ts";
import type { SelfRegistry } from "../metrics/self-registry.ts";
import { selfFamilies } from "../metrics/self-families.ts";
import type { ReadingSource } from "../readings/readings.ts";
import { type TargetId, targetId } from "../readings/target-id.ts";
import type { EventLog } from "../schedule/event-log.ts";
import type { JobGroup } from "../schedule/plan.ts";
import type { Clock } from "../time/clock.ts";
import { longestGapMs } from "../time/ticker.ts";
import { createPayerSpend, type PayerSpend } from "./payer-spend.ts";
import { createProbeJob } from "./probe-job.ts";
import { type ConfiguredProbe, createProbeRecords, type ProbeRecord } from "./probe-records.ts";
import { createProbeReporter } from "./probe-reporter.ts";
import { spendSamples } from "./probe-samples.ts";
import { createSpendGuard } from "./spend-guard.ts";

/** The transcription probes: paid jobs with their own schedules, limited by a spend guard. */
export interface Probes {
  /** Applies a configuration, and returns its probes as jobs for the engine. */
  configure(config: Pick<Config, "probing" | "gateway">): readonly JobGroup[];
  /** The spend of all probes, as a source of derived samples for the readings. */
  sources(): ReadonlyMap<TargetId, () => readonly Sample[]>;
  /** Undefined: the probe is not configured. */
  record(name: string): ProbeRecord | undefined;
  /** Credits that count against the ceiling of the day; undefined: not known yet. */
  spentToday(): number | undefined;
  /** The state that must be known before any probe may spend credits. */
  readonly payerSpend: PayerSpend;
  /** The postponed probes, once the spend of the day is known. Each is returned once. */
  takeReady(): readonly TargetId[];
}

export interface ProbesDependencies {
  readonly clock: Clock;
  readonly log: Log;
  readonly events: Pick<EventLog, "report">;
  readonly registry: SelfRegistry;
  readonly readings: Pick<ReadingSource, "latest">;
}

export function createProbes({ clock, log, events, registry, readings }: ProbesDependencies): Probes {
  let probing: ProbingConfig | undefined;
  /** Due probes that wait until the spend of the day is known. */
  const putOff = new Set<TargetId>();
  const probes = () => probing?.probes ?? [];
  const startedAt = clock.monotonic();
  const startedMs = () => clock.now() - (clock.monotonic() - startedAt);
  const longestRunMs = () => Math.max(0, ...probes().map(({ timeoutMs }) => timeoutMs));
  const guard = createSpendGuard(startedMs, longestRunMs);
  let baseUrl = "";
  const payers = () => probes().map((probe) => ({ key: probe.key, identity: payerOf(probe, baseUrl) }));
  const payerSpend = createPayerSpend({ clock, guard, readings, payers });
  const records = createProbeRecords();
  const refused = registry.counter(selfFamilies.refusedAnswers);

  function groupOf(configured: ConfiguredProbe, limits: ProbingConfig): JobGroup {
    const { probe } = configured;
    const own = {
      clock,
      guard,
      payerSpend,
      records,
      refused,
      putOff,
      events,
      log: log.child({ probe: probe.name }),
    };
    const reporter = createProbeReporter(configured, own);
    const job = createProbeJob(configured, limits, { ...own, reporter });
    return { name: job.id, expression: probe.schedule, jobs: [job], reporter, isPaid: true };
  }

  function spendOfAll(): readonly Sample[] {
    return probing ? spendSamples(probing, guard, payerSpend.isKnown(), clock.now()) : [];
  }

  return {
    configure: ({ probing: next, gateway }) => {
      probing = next;
      baseUrl = gateway.baseUrl;
      const configured = probes().map((probe) => configuredProbe(probe, baseUrl));
      records.configure(configured);
      if (!next) {
        putOff.clear();
        return [];
      }
      // The counter begins at 0 instead of being absent.
      refused.inc({ collector: "probe" }, 0);
      const groups = configured.map((each) => groupOf(each, next));
      const known = new Set(groups.map(({ name }) => name));
      for (const id of putOff) if (!known.has(id)) putOff.delete(id);
      return groups;
    },
    sources: () => new Map([[targetId("probe-spend", "day"), spendOfAll]]),
    record: (name) => records.get(name),
    spentToday: () => (probing && payerSpend.isKnown() ? guard.spent(clock.now()) : undefined),
    payerSpend,
    takeReady: () => {
      if (putOff.size === 0 || !payerSpend.isKnown()) return [];
      const ready = [...putOff];
      putOff.clear();
      return ready;
    },
  };
}

function configuredProbe(probe: ProbeConfig, gateway: string): ConfiguredProbe {
  const payer = payerOf(probe, gateway);
  return { probe, payer, question: questionOf(probe, gateway), intervalMs: longestGapMs(probe.schedule) };
}

/** The identity of what pays for a probe. */
function payerOf({ key, secret }: ProbeConfig, gateway: string): string {
  return JSON.stringify([gateway, key, identityOf(secret)]);
}

/** Everything that determines the meaning of a probe's values. */
function questionOf(probe: ProbeConfig, gateway: string): string {
  const { model, audio, expectedText, expectedLanguage, responseFormat, upload, key, secret } = probe;
  const { origin, format } = audio;
  const asked = [gateway, key, identityOf(secret), model, origin, format, responseFormat, upload];
  return JSON.stringify([...asked, expectedText, expectedLanguage ?? null]);
}
