import type { ProbeConfig, ProbingConfig } from "../../../exporter/config/config.ts";
import type { KeyInformation } from "../../../exporter/gateway/key.ts";
import { parseKey } from "../../../exporter/gateway/key.ts";
import { parseTranscription, type Transcription } from "../../../exporter/gateway/transcription.ts";
import { createStore } from "../../../exporter/readings/store.ts";
import { createProbeMemory } from "../../../exporter/probes/probe-memory.ts";
import { createProber } from "../../../exporter/probes/prober.ts";
import { createTicker } from "../../../exporter/time/ticker.ts";
import { createManualClock } from "../../support/clock.ts";
import { createRecordingLog } from "../../support/log.ts";
import { secretSource } from "../../support/test-config.ts";

export const MINUTE = 60_000;

/** After the start the spend is read, and then the first run is due. */
export const FIRST = 10 * MINUTE;

export function probe(name: string, change: Partial<ProbeConfig> = {}): ProbeConfig {
  return {
    name,
    key: "ears",
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

/** What the gateway does with a call: an answer's body, or a failure. */
export type Script = (name: string) => Promise<object> | object;

/** A prober with a manual clock, a real store, and a gateway that does what the test says. */
export function createProbeBench(initial: ProbingConfig | undefined, seriesLimit = 1000) {
  const clock = createManualClock("2026-11-18T12:00:00Z");
  const store = createStore(clock, () => seriesLimit);
  const { log, lines } = createRecordingLog();
  const calls: string[] = [];
  const keysRead: string[] = [];
  /** Of the pace, which are to be given back. */
  const places = { taken: 0 };
  const script: { transcribe: Script; readKey: Script; reserve: (target: string) => void | Promise<void> } = {
    transcribe: () => ANSWER,
    readKey: () => ({ data: { usage: 0, usage_daily: 0 } }),
    reserve: () => {},
  };
  let current = initial;
  const memory = createProbeMemory(clock.now(), () => current);
  const create = (gatewayUrl = "http://one") =>
    createProber(current, {
      clock,
      log,
      store,
      ...memory,
      gatewayUrl,
      createTicker,
      onChange: () => {},
      pace: {
        reserve: async (_, target) => {
          await script.reserve(target);
          places.taken++;
          return () => void places.taken--;
        },
      },
      gateway: {
        transcribe: async ({ name }): Promise<Transcription> => {
          calls.push(name);
          return parseTranscription(await script.transcribe(name), "transcribe");
        },
        readKey: async (name): Promise<KeyInformation> => {
          keysRead.push(name);
          return parseKey(await script.readKey(name), "read");
        },
      },
    });
  const prober = create();
  store.derive(prober.sources());
  const samples = () => [
    ...store.visible("probe-spend"),
    ...(current?.probes ?? []).flatMap(({ name }) => store.visible(`probe/${name}`)),
  ];
  /** The value of a series, `success{probe="a"}` without the prefix; undefined when there is none. */
  const value = (series: string): number | undefined => {
    const [name = "", wanted = ""] = series.replace("}", "").split("{");
    const found = samples().find(
      (sample) => sample.family.name === `aigateway_probe_${name}` && sample.labels === wanted,
    );
    return found?.value;
  };
  return {
    clock,
    store,
    lines,
    calls,
    keysRead,
    places,
    script,
    prober,
    create,
    value,
    names: () => new Set(samples().map(({ family }) => family.name.replace("aigateway_probe_", ""))),
    probesShown: () => new Set(samples().flatMap(({ labels }) => /probe="([^"]*)"/.exec(labels)?.[1] ?? [])),
    adopt: (next: ProbingConfig | undefined) => {
      current = next;
      prober.adopt(next);
    },
  };
}

/** A bench whose probes were run once. */
export async function afterFirst(...probes: readonly ReturnType<typeof probe>[]) {
  const bench = createProbeBench(probing(...(probes.length > 0 ? probes : [probe("a")])));
  bench.prober.start();
  await bench.clock.advance(FIRST);
  return bench;
}

/** Audio that there is none of. */
export function unreadable(name: string) {
  const fault = `file "/${name}" does not exist`;
  return { origin: name, format: "wav", read: () => Promise.resolve({ bytes: undefined, fault }) };
}
