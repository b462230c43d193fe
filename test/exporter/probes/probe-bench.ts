import type { ProbeConfig, ProbingConfig } from "../../../exporter/config/config.ts";
import { identityOf } from "../../../exporter/secrets/secret.ts";
import type { Gateway } from "../../../exporter/gateway/port.ts";
import { keyReading } from "../../../exporter/collectors/key.ts";
import { parseKey } from "../../../exporter/gateway/wire/key.ts";
import { parseTranscription } from "../../../exporter/gateway/wire/transcription.ts";
import { createPacking, unpack } from "../../../exporter/metrics/render/block.ts";
import { createSelfRegistry } from "../../../exporter/metrics/self-registry.ts";
import { createProbes } from "../../../exporter/probes/probes.ts";
import { createReadings } from "../../../exporter/readings/readings.ts";
import { targetId } from "../../../exporter/readings/target-id.ts";
import { createEngine } from "../../../exporter/schedule/engine.ts";
import { createEventLog } from "../../../exporter/schedule/event-log.ts";
import type { Job, JobGroup, Plan } from "../../../exporter/schedule/job.ts";
import { createManualClock } from "../../support/clock.ts";
import { createRecordingLog } from "../../support/log.ts";
import { secretSource, testGatewayConfig } from "../../support/test-config.ts";
import { askWithPermit, NO_ANSWERS } from "../../support/fake-client.ts";

export const MINUTE = 60_000;

/** When the first run is due. */
export const FIRST = 10 * MINUTE;

export function probe(name: string, change: Partial<ProbeConfig> = {}): ProbeConfig {
  return {
    name,
    key: "ears",
    team: "",
    secret: secretSource("sk-one"),
    model: "acme/ear",
    audio: {
      origin: "the test",
      format: "wav",
      read: () => Promise.resolve({ bytes: Buffer.from("RIFF"), fault: undefined }),
    },
    expectedText: "one two three four",
    maxWordErrorRate: 0.25,
    expectedLanguage: undefined,
    responseFormat: "verbose_json",
    upload: "json",
    schedule: { kind: "interval", ms: 10 * MINUTE },
    timeoutMs: MINUTE,
    ...change,
  };
}

export function probing(...probes: readonly ProbeConfig[]): ProbingConfig {
  return { probes, ceilingCredits: 0.3, maxCostCredits: 0.1 };
}

export const ANSWER = { text: "One two three four.", usage: { cost: 0.01 } };

/** The gateway's reaction to a request: an answer's body, or a failure. */
export type Script = (name: string, signal: AbortSignal) => Promise<object> | object;

/** Probes and the keys that pay for them, run by the engine on a manual clock; the test decides what the gateway does. */
export function createProbeBench(initial: ProbingConfig | undefined) {
  const clock = createManualClock("2026-11-18T12:00:00Z");
  const { log, lines } = createRecordingLog();
  const registry = createSelfRegistry(clock);
  const readings = createReadings(clock, createPacking(), () => 1000);
  const script: { transcribe: Script; readKey: Script } = {
    transcribe: () => ANSWER,
    readKey: () => ({ data: { usage: 0, usage_daily: 0 } }),
  };
  const calls: string[] = [];
  const newGateway = (): Gateway => ({
    clientFor: (caller) => ({
      ...NO_ANSWERS,
      currentKey: () =>
        askWithPermit(caller, async () => parseKey(await script.readKey(caller.name, caller.signal), "read")),
      transcribe: () =>
        askWithPermit(caller, async () => {
          calls.push(caller.name);
          return parseTranscription(await script.transcribe(caller.name, caller.signal), "transcribe");
        }),
    }),
    close: () => Promise.resolve(),
  });
  let gateway = newGateway();
  const probes = createProbes({ clock, log, events: createEventLog(log, clock), registry, readings });
  const planOf = (next: ProbingConfig | undefined, baseUrl: string): Plan => ({
    gateway,
    limits: {
      perMinute: { key: 0, analytics: 0, account: 0, transcription: 0 },
      connections: 10,
      maxPauseMs: 300_000,
    },
    groups: [keyGroup(next), ...probes.configure({ probing: next, gateway: testGatewayConfig({ baseUrl }) })],
  });
  const engine = createEngine(planOf(initial, "http://one"), {
    clock,
    log,
    readings,
    random: () => 0.5,
  });
  readings.derive(probes.sources());
  const samples = () => readings.view().blocks.flatMap(unpack);
  /** The value of a series, `success{probe="a"}` without the prefix; undefined if the series is missing. */
  const value = (series: string): number | undefined => {
    const [name = "", wanted = ""] = series.replace("}", "").split("{");
    return samples().find(
      (sample) => sample.family.name === `aigateway_probe_${name}` && sample.labels === wanted,
    )?.value;
  };
  return {
    clock,
    readings,
    probes,
    lines,
    calls,
    script,
    value,
    start: () => engine.start(() => {}),
    stop: () => engine.stop(),
    /** Messages above level debug. */
    logged: () => lines.filter(({ level }) => level !== "debug").map(({ message }) => message),
    names: () => new Set(samples().map(({ family }) => family.name.replace("aigateway_probe_", ""))),
    probesShown: () => new Set(samples().flatMap(({ labels }) => /probe="([^"]*)"/.exec(labels)?.[1] ?? [])),
    apply: (next: ProbingConfig | undefined, baseUrl = "http://one") => {
      if (baseUrl !== "http://one") gateway = newGateway();
      return engine.apply(planOf(next, baseUrl));
    },
  };
}

/** A bench whose probes were run once. */
export async function afterFirst(...probes: readonly ProbeConfig[]) {
  const bench = createProbeBench(probing(...(probes.length > 0 ? probes : [probe("a")])));
  bench.start();
  await bench.clock.advance(FIRST);
  return bench;
}

/** Audio that cannot be read. */
export function unreadable(name: string) {
  const fault = `file "/${name}" does not exist`;
  return { origin: name, format: "wav", read: () => Promise.resolve({ bytes: undefined, fault }) };
}

/** Answers that arrive when the test releases them. */
export function heldAnswers() {
  const waiting: (() => void)[] = [];
  return {
    transcribe: () => new Promise<object>((resolve) => waiting.push(() => resolve(ANSWER))),
    release: () => {
      for (const answer of waiting.splice(0)) answer();
    },
  };
}

/** The jobs of the keys that pay, with a schedule too long to matter. */
function keyGroup(probed: ProbingConfig | undefined): JobGroup {
  const secrets = new Map((probed?.probes ?? []).map(({ key, secret }) => [key, secret]));
  const jobs = [...secrets].map(([name, secret]): Job => ({
    id: targetId("key", name),
    name,
    title: `key "${name}"`,
    endpoint: "key",
    requests: 1,
    minIntervalMs: 0,
    identity: identityOf(secret),
    fingerprint: "",
    constants: [],
    describe: () => [],
    run: async (client, requestedAtMs) => ({
      value: keyReading(await client.currentKey(secret), requestedAtMs),
      samples: [],
    }),
  }));
  const reporter = { ended: () => {}, refused: () => {}, paused: () => {} };
  const expression = { kind: "interval", ms: 7 * 86_400_000 } as const;
  return { name: "keys", expression, jobs, reporter, isPaid: false };
}
