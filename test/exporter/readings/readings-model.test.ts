import { gunzipSync } from "node:zlib";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { gauge, info, type Sample, sample } from "../../../exporter/metrics/family.ts";
import { createPacking } from "../../../exporter/metrics/render/block.ts";
import { deflate, deflateNow, gzipWithTail } from "../../../exporter/metrics/render/gzip.ts";
import { createRenderer } from "../../../exporter/metrics/render/renderer.ts";
import type { Reading } from "../../../exporter/readings/reading.ts";
import { createReadings } from "../../../exporter/readings/readings.ts";
import { targetId } from "../../../exporter/readings/target-id.ts";
import { windowAt } from "../../../exporter/time/window.ts";
import { createManualClock, type ManualClock } from "../../support/clock.ts";
import { createModel } from "./readings-model.ts";

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
      kind: fc.constant("learn" as const),
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
  subject: Pick<ReturnType<typeof createModel>, "learn" | "describe" | "configure" | "withdraw" | "remove">,
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
    case "learn": {
      const askedAtMs = clock.now();
      const asOfMs = askedAtMs - made.computedHours * HOUR_MS;
      const timeToLiveMs = made.timeToLive * 7 * HOUR_MS;
      const reading = { value: VALUE, askedAtMs, asOfMs, timeToLiveMs };
      return subject.learn(made.id, reading, samplesOf(made.id, made.rows, clock));
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
