import type { Config, ProbeConfig, ProbingConfig } from "../config/config.ts";
import { identityOf } from "../secrets/secret.ts";
import type { Log } from "../log.ts";
import type { Sample } from "../metrics/family.ts";
import type { SelfRegistry } from "../metrics/self-registry.ts";
import { selfFamilies } from "../metrics/self-families.ts";
import type { ReadingSource } from "../readings/readings.ts";
import { type TargetId, targetId } from "../readings/target-id.ts";
import type { EventLog } from "../schedule/event-log.ts";
import type { JobGroup } from "../schedule/job.ts";
import type { Clock } from "../time/clock.ts";
import { gapsMs } from "../time/ticker.ts";
import { createDailySpend, type Payer } from "./daily-spend.ts";
import { createProbeJob } from "./probe-job.ts";
import { type ConfiguredProbe, createProbeRecords, type ProbeRecord } from "./probe-records.ts";
import { spendSamples } from "./probe-samples.ts";

/** The transcription probes: paid jobs with their own schedules, limited by a daily ceiling. */
export interface Probes {
  /** Applies a configuration, and returns its probes as jobs for the engine. */
  configure(config: Pick<Config, "probing" | "gateway">): readonly JobGroup[];
  /** The spend of all probes, as a source of derived samples for the readings. */
  sources(): ReadonlyMap<TargetId, () => readonly Sample[]>;
  /** Undefined: the probe is not configured. */
  record(name: string): ProbeRecord | undefined;
  /** Credits that count against the ceiling of the day. */
  spentToday(): number;
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
  let configured: readonly ConfiguredProbe[] = [];
  const payers = () => configured.map(({ payer }) => payer);
  const spend = createDailySpend({ clock, readings, payers });
  const records = createProbeRecords();
  const refused = registry.counter(selfFamilies.refusedAnswers);

  return {
    configure: ({ probing: next, gateway }) => {
      probing = next;
      configured = next?.probes.map((probe) => configuredProbe(probe, gateway.baseUrl)) ?? [];
      records.configure(configured);
      if (!next) return [];
      // The counter begins at 0 instead of being absent.
      refused.inc({ collector: "probe" }, 0);
      const own = { clock, spend, records, refused, events, log };
      return configured.map((one) => createProbeJob(one, next, own));
    },
    sources: () =>
      new Map([
        [
          targetId("probe-spend", "day"),
          () => (probing ? spendSamples(probing, spend.today(), clock.now()) : []),
        ],
      ]),
    record: (name) => records.get(name),
    spentToday: () => spend.today(),
  };
}

function configuredProbe(probe: ProbeConfig, gateway: string): ConfiguredProbe {
  const { key, secret, model, audio, expectedText, expectedLanguage, responseFormat, upload } = probe;
  const payer: Payer = { key, identity: JSON.stringify([gateway, key, identityOf(secret)]) };
  const { origin, format } = audio;
  const sent = [payer.identity, model, origin, format, responseFormat, upload];
  const question = JSON.stringify([...sent, expectedText, expectedLanguage ?? null]);
  return { probe, payer, question, intervalMs: gapsMs(probe.schedule).longest };
}
