import { gunzipSync } from "node:zlib";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Family, type Sample, gauge, info, sample } from "../../../exporter/metrics/family.ts";
import { createPacking } from "../../../exporter/metrics/render/block.ts";
import { deflate, deflateNow, gzipWithTail } from "../../../exporter/metrics/render/gzip.ts";
import { createRenderer } from "../../../exporter/metrics/render/renderer.ts";
import type { Reading } from "../../../exporter/readings/reading.ts";
import { createReadings } from "../../../exporter/readings/readings.ts";
import { type TargetId, targetId } from "../../../exporter/readings/target-id.ts";
import { SETTLE_MS, type Window, contains, windowAt } from "../../../exporter/time/window.ts";
import { type ManualClock, createManualClock } from "../../support/clock.ts";

/** The expected behaviour of readings and rendering, written in the plainest way: as lists of samples. */
function createModel(now: () => number, seriesLimit: number) {
  const targets = new Map<TargetId, Target>();
  const held = () => [...targets.values()].reduce((sum, target) => sum + sizeOf(target), 0);

  function change(id: TargetId, next: (target: Target) => Partial<Target>): void {
    const target = targets.get(id);
    if (target) targets.set(id, { ...target, ...next(target) });
  }

  function visible({ description, values, endMs }: Target): readonly Sample[] {
    const fresh = now() < endMs ? values : [];
    return [...description, ...fresh.filter(({ window }) => !window || contains(window, now()))];
  }

  return {
    held,
    configure: (id: TargetId, identity: string): void => {
      if (targets.get(id)?.identity !== identity) targets.set(id, { ...NOTHING, identity });
    },
    store: (id: TargetId, reading: Reading, samples: readonly Sample[]): boolean => {
      const target = targets.get(id);
      if (!target) return true;
      const { requestedAtMs, asOfMs, timeToLiveMs } = reading;
      const values = samples.filter(({ window }) => !window || isSettled(window, asOfMs));
      const fits = held() - target.values.length + values.length <= seriesLimit;
      const stored = fits ? { values, endMs: requestedAtMs + timeToLiveMs } : { values: [], endMs: 0 };
      change(id, () => ({ ...stored, reading, isWhole: fits && values.length === samples.length }));
      return fits;
    },
    describe: (id: TargetId, description: readonly Sample[]): void => change(id, () => ({ description })),
    withdraw: (id: TargetId): void => change(id, () => ({ values: [], endMs: 0, isWhole: false })),
    remove: (id: TargetId): void => void targets.delete(id),
    latest: (id: TargetId): Reading | undefined => targets.get(id)?.reading,
    isShown: (id: TargetId): boolean => {
      const target = targets.get(id);
      return target !== undefined && target.reading !== undefined && now() < target.endMs;
    },
    isWhole: (id: TargetId): boolean => {
      const target = targets.get(id);
      if (!target?.isWhole || now() >= target.endMs) return false;
      return target.values.every(({ window }) => !window || contains(window, now()));
    },
    /** The text format, line by line. */
    text: (families: readonly Family[]): string => {
      const all = [...targets.values()].flatMap(visible);
      return families
        .map((family) => {
          const lines = all
            .filter((one) => one.family === family)
            .map(({ labels, value }) => `${family.name}{${labels}} ${value}\n`);
          const header = `# HELP ${family.name} ${family.help}\n# TYPE ${family.name} gauge\n`;
          return lines.length === 0 ? "" : `${header}${lines.join("")}`;
        })
        .join("");
    },
  };
}

function isSettled(window: Window, asOfMs: number): boolean {
  return contains(window, asOfMs) && asOfMs - window.startMs >= SETTLE_MS;
}

interface Target {
  readonly identity: string;
  readonly description: readonly Sample[];
  readonly values: readonly Sample[];
  readonly endMs: number;
  readonly isWhole: boolean;
  readonly reading: Reading | undefined;
}

const NOTHING: Omit<Target, "identity"> = {
  description: [],
  values: [],
  endMs: 0,
  isWhole: false,
  reading: undefined,
};

function sizeOf({ description, values }: Target): number {
  return description.length + values.length;
}

const families = [
  gauge({ name: "aigateway_one", help: "One.", labels: ["key"], absent: "never" }),
  gauge({ name: "aigateway_two", help: "Two.", labels: ["key"], absent: "never" }),
  info({ name: "aigateway_three_info", help: "Three.", labels: ["key", "team"], absent: "never" }),
];
const headers = families.map((family) => ({ family, help: family.help }));
const TEXT = new Set(["text"] as const);
const SERIES_LIMIT = 12;
const HOUR_MS = 3_600_000;
const TARGETS = ["a", "b", "c", "d"].map((name) => targetId("key", name));
const VALUE: Reading["value"] = {
  kind: "probe",
  answer: undefined,
  succeeded: true,
  durationMs: 0,
  audioSeconds: undefined,
  wordErrorRate: undefined,
};

/** A sample of few families, labels, values and windows, so that many parts are equal and some differ. */
const row = fc.record({
  family: fc.nat(families.length - 1),
  team: fc.constantFrom("", "a", "ä日🚀", 'quo"te\\'),
  value: fc.constantFrom(0, 1, 2.5, -7.000001, 1e-9),
  kind: fc.constantFrom("day" as const, "month" as const, undefined),
});
const rows = fc.uniqueArray(row, { maxLength: 5, selector: ({ family, team }) => `${family}${team}` });
const id = fc.constantFrom(...TARGETS);
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("store" as const),
      id,
      rows,
      timeToLive: fc.nat(5),
      /** How long before the request the service computed its answer. */
      computedHours: fc.constantFrom(0, 0, 3, 20),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("describe" as const), id, rows }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("configure" as const),
      id,
      identity: fc.constantFrom("one", "two"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("withdraw" as const), id }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("remove" as const), id }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("wait" as const), hours: fc.constantFrom(1, 6, 30, 800) }),
  },
);
type Row = typeof row extends fc.Arbitrary<infer Value> ? Value : never;
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

test(
  "readings and renderer match a model of sample lists, after any sequence of steps",
  { timeout: 180_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const clock = createManualClock("2026-11-18T12:00:00Z");
        const readings = createReadings(clock, createPacking(), () => SERIES_LIMIT);
        const model = createModel(() => clock.now(), SERIES_LIMIT);
        const renderer = createRenderer(deflate);
        for (const target of TARGETS.slice(1)) {
          readings.configure(target, "one");
          model.configure(target, "one");
        }
        for (const made of steps) {
          if (made.kind === "wait") await clock.advance(made.hours * HOUR_MS);
          const [isKept, wanted] =
            made.kind === "wait" ? [] : [take(readings, made, clock), take(model, made, clock)];
          expect(isKept).toBe(wanted);
          expect(readings.series).toBe(model.held());
          for (const target of TARGETS) {
            expect(readings.latest(target)).toEqual(model.latest(target));
            expect(readings.shown(target) !== undefined).toBe(model.isShown(target));
            expect(readings.isWhole(target)).toBe(model.isWhole(target));
          }
          const view = readings.view();
          const document = (await renderer.render(headers, view.blocks, TEXT)).get("text");
          if (!document) throw new Error("Cannot continue without a document");
          expect(Buffer.concat(await document.text()).toString()).toBe(model.text(families));
          const sent = gunzipSync(
            Buffer.concat(gzipWithTail(document, deflateNow(Buffer.from("middle")), Buffer.from("tail"))),
          );
          expect(sent.toString()).toBe(`${model.text(families)}middletail`);
        }
      }),
      { numRuns: 150 },
    );
  },
);

/** Takes one step with the readings or with their model. Returns whether a reading was kept. */
function take(
  subject: Pick<ReturnType<typeof createModel>, "store" | "describe" | "configure" | "withdraw" | "remove">,
  made: Exclude<Step, { readonly kind: "wait" }>,
  clock: ManualClock,
): boolean | undefined {
  switch (made.kind) {
    case "withdraw":
    case "remove":
      subject[made.kind](made.id);
      return undefined;
    case "configure":
      subject.configure(made.id, made.identity);
      return undefined;
    case "describe":
      subject.describe(made.id, samplesOf(made.id, made.rows, clock));
      return undefined;
    case "store": {
      const requestedAtMs = clock.now();
      const asOfMs = requestedAtMs - made.computedHours * HOUR_MS;
      const timeToLiveMs = made.timeToLive * 7 * HOUR_MS;
      const reading = { value: VALUE, requestedAtMs, asOfMs, timeToLiveMs };
      return subject.store(made.id, reading, samplesOf(made.id, made.rows, clock));
    }
  }
}

function samplesOf(key: string, made: readonly Row[], clock: ManualClock): readonly Sample[] {
  return made.flatMap(({ family: place, team, value, kind }) => {
    const family = families[place];
    const window = kind && windowAt(kind, clock.now());
    return family ? sample(family, { key: `${key}${place < 2 ? team : ""}`, team }, value, window) : [];
  });
}
