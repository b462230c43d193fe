import type { ConfigFileInput } from "../../exporter/config/schema.ts";
import type { Switches } from "../gateway/switches.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

export type ProbeInput = NonNullable<ConfigFileInput["probes"]>[number];

export interface ProbeStageOptions {
  readonly start: number;
  readonly probes: readonly ProbeInput[];
  readonly maxCostPerDay: number;
  readonly maxCostPerProbe: number;
  readonly switches?: Partial<Switches>;
}

/** A simulated gateway and an exporter with probes, both on one clock that the test moves. */
export interface ProbeStage extends TestApp {
  /** Makes each transcription take some time on that clock. */
  answerAfter(ms: number): void;
  runFor(ms: number): Promise<void>;
  runTo(epochMs: number): Promise<void>;
  /** The charges in the gateway's books, in credits, by UTC day. */
  charged(): ReadonlyMap<string, number>;
}

export const KEYS = ["ears", "others"];

export async function startProbeStage(options: ProbeStageOptions): Promise<ProbeStage> {
  const app = await startTestApp({
    start: options.start,
    gateway: () => (options.switches ? { switches: options.switches } : {}),
    prepare: (gateway) => {
      for (const name of KEYS) gateway.addKey({ name });
    },
    content: () => ({
      schedule: { keys: "1h" },
      probes: [...options.probes],
      probe_spend: { max_cost_per_day: options.maxCostPerDay, max_cost_per_probe: options.maxCostPerProbe },
    }),
  });
  const { clock, gateway } = app;
  return Object.assign(app, {
    answerAfter: (ms: number) => {
      gateway.hooks.beforeAnswer = async ({ endpoint }) => {
        if (endpoint === "transcription") await clock.advance(ms);
      };
    },
    runFor: (ms: number) => clock.runTo(clock.now() + ms),
    runTo: (epochMs: number) => clock.runTo(epochMs),
    charged: () => {
      const days = new Map<string, number>();
      for (const { at, micros } of gateway.books.transcriptions()) {
        const day = new Date(at).toISOString().slice(0, 10);
        days.set(day, (days.get(day) ?? 0) + micros);
      }
      return new Map([...days].map(([day, micros]) => [day, micros / 1e6]));
    },
  });
}
