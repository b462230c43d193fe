import { gunzipSync } from "node:zlib";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { gauge, info, type Sample, sample } from "../../../exporter/metrics/family.ts";
import { deflate, deflateNow, gzipWithTail } from "../../../exporter/metrics/render/gzip.ts";
import { createRenderer } from "../../../exporter/metrics/render/renderer.ts";
import { createStore } from "../../../exporter/readings/store.ts";
import { windowAt } from "../../../exporter/time/window.ts";
import { createManualClock } from "../../support/clock.ts";
import { createModel } from "./store-model.ts";

const families = [
  gauge({ name: "aigateway_one", help: "One.", labels: ["key"], absent: "never" }),
  gauge({ name: "aigateway_two", help: "Two.", labels: ["key"], absent: "never" }),
  info({ name: "aigateway_three_info", help: "Three.", labels: ["key", "team"], absent: "never" }),
];
const headers = families.map((family) => ({ family, help: family.help }));
const TEXT = new Set(["text"] as const);
const SERIES_LIMIT = 12;

/** A sample of few families, labels, values and windows, so that much of it is alike and some of it is not. */
const row = fc.record({
  family: fc.nat(families.length - 1),
  team: fc.constantFrom("", "a", "ä日🚀", 'quo"te\\'),
  value: fc.constantFrom(0, 1, 2.5, -7.000001, 1e-9),
  kind: fc.constantFrom("day" as const, "month" as const, undefined),
});
const rows = fc.uniqueArray(row, { maxLength: 5, selector: ({ family, team }) => `${family}${team}` });
const target = fc.constantFrom("a", "b", "c", "d");
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("put" as const), target, rows, ttl: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("describe" as const), target, rows }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("withdraw" as const), target }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("remove" as const), target }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("wait" as const), hours: fc.constantFrom(1, 6, 30, 800) }),
  },
);
type Row = typeof row extends fc.Arbitrary<infer Value> ? Value : never;

test(
  "store and renderer show what lists of samples would, after any steps",
  { timeout: 60_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const clock = createManualClock("2026-11-18T12:00:00Z");
        const store = createStore(clock, () => SERIES_LIMIT);
        const model = createModel(() => clock.now(), SERIES_LIMIT);
        const renderer = createRenderer(deflate);
        const samplesOf = (key: string, made: readonly Row[]): readonly Sample[] =>
          made.flatMap(({ family: place, team, value, kind }) => {
            const family = families[place];
            const window = kind && windowAt(kind, clock.now());
            return family
              ? sample(family, { key: `${key}${place < 2 ? team : ""}`, team }, value, window)
              : [];
          });
        for (const made of steps) {
          if (made.kind === "wait") await clock.advance(made.hours * 3_600_000);
          else if (made.kind === "withdraw" || made.kind === "remove") {
            store[made.kind](made.target);
            model[made.kind](made.target);
          } else if (made.kind === "describe") {
            store.describe(made.target, samplesOf(made.target, made.rows));
            model.describe(made.target, samplesOf(made.target, made.rows));
          } else {
            const samples = samplesOf(made.target, made.rows);
            const answer = { samples, askedAtMs: clock.now(), timeToLiveMs: made.ttl * 7 * 3_600_000 };
            store.put(made.target, answer);
            model.put(made.target, answer);
          }
          expect(store.series).toBe(model.held());
          for (const name of ["a", "b", "c", "d"]) expect(store.visible(name)).toEqual(model.visible(name));
          const view = store.view();
          const document = (await renderer.render(headers, view.blocks, TEXT)).get("text");
          if (!document) throw new Error("Cannot go on without a document");
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
