import type { ConfigFileInput } from "../../exporter/config/schema.ts";
import { createGateway, type Gateway } from "../gateway/gateway.ts";
import type { Switches } from "../gateway/switches.ts";
import { type ExporterFiles, writeExporterFiles } from "../support/exporter-files.ts";
import { type LocalExporter, startLocalExporter } from "../support/local-exporter.ts";
import { silentLog } from "../support/log.ts";
import type { SeriesMap } from "../support/series.ts";
import { createSteeredClock } from "../support/steered-clock.ts";

export type ProbeInput = NonNullable<ConfigFileInput["probes"]>[number];

export interface ProbeBenchOptions {
  readonly start: number;
  readonly probes: readonly ProbeInput[];
  readonly maxCostPerDay: number;
  readonly maxCostPerProbe: number;
  readonly switches?: Partial<Switches>;
}

/** A simulated gateway and an exporter with probes, both on one clock that the test moves. */
export interface ProbeBench {
  readonly gateway: Gateway;
  readonly files: ExporterFiles;
  /** Lets each transcription take some time of the clock. */
  answerAfter(ms: number): void;
  runFor(ms: number): Promise<void>;
  runTo(epochMs: number): Promise<void>;
  /** The series of `/metrics`, once they are as wanted. */
  seriesWhen(isWanted: (series: SeriesMap) => boolean): Promise<SeriesMap>;
  series(): Promise<SeriesMap>;
  /** Stops the exporter and starts another one without its memory. */
  restart(): Promise<void>;
  /** The charges in the books, in credits, by UTC day. */
  charged(): ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

export const KEYS = ["ears", "others"];

export async function startProbeBench(options: ProbeBenchOptions): Promise<ProbeBench> {
  const steered = createSteeredClock(options.start);
  const gateway = createGateway({
    now: () => steered.clock.now(),
    startAt: options.start,
    ...(options.switches && { switches: options.switches }),
  });
  await gateway.start();
  for (const name of KEYS) gateway.addKey({ name });
  const files = writeExporterFiles({
    gatewayUrl: gateway.url,
    tokens: gateway.tokens,
    content: {
      schedule: { keys: "1h" },
      probes: [...options.probes],
      probe_spend: { max_cost_per_day: options.maxCostPerDay, max_cost_per_probe: options.maxCostPerProbe },
    },
  });
  const start = (): Promise<LocalExporter> => startLocalExporter(files, steered.clock, silentLog);
  let exporter = await start();
  return {
    gateway,
    files,
    answerAfter: (ms) => {
      gateway.hooks.beforeAnswer = async ({ endpoint }) => {
        if (endpoint === "transcription") await steered.clock.advance(ms);
      };
    },
    runFor: (ms) => steered.run(steered.clock.now() + ms),
    runTo: (epochMs) => steered.run(epochMs),
    seriesWhen: (isWanted) => exporter.seriesWhen(steered, isWanted),
    series: () => exporter.series(),
    restart: async () => {
      await exporter.app.stop();
      exporter = await start();
    },
    charged: () => {
      const days = new Map<string, number>();
      for (const { at, micros } of gateway.books.transcriptions()) {
        const day = new Date(at).toISOString().slice(0, 10);
        days.set(day, (days.get(day) ?? 0) + micros);
      }
      return new Map([...days].map(([day, micros]) => [day, micros / 1e6]));
    },
    stop: async () => {
      await exporter.stop();
      await gateway.stop();
    },
  };
}
