import * as fc from "fast-check";
import { Counter, Gauge, Registry } from "prom-client";
import { expect, test } from "vitest";
import { createDataSet, eachValue, familiesOf, samplesOf } from "../../../bench/exposition/data-set.ts";
import { counter, type Family, gauge, type Sample, sample } from "../../../exporter/metrics/family.ts";
import { createPublisher } from "../../../exporter/metrics/render/publisher.ts";
import { createManualClock } from "../../support/clock.ts";
import { createSampleReadings } from "../../support/sample-readings.ts";

const FAMILIES = [
  gauge({ name: "aigateway_one", help: 'A \\ and "quotes".', labels: ["key"], absent: "never" }),
  gauge({ name: "aigateway_two", help: "Two\nlines.", labels: ["key", "team"], absent: "never" }),
  counter({ name: "aigateway_three_total", help: "Three.", labels: ["key", "team"], absent: "never" }),
];

const text = fc.string({ unit: "grapheme", maxLength: 12 });
const row = fc.record({
  place: fc.nat(FAMILIES.length - 1),
  key: text,
  team: text,
  // A counter of prom-client accepts nothing below 0.
  value: fc.double({ noNaN: true, noDefaultInfinity: true, min: 0 }),
});
const rows = fc.uniqueArray(row, {
  maxLength: 30,
  selector: ({ place, key, team }) => JSON.stringify([place, key, place === 0 ? "" : team]),
});

test("the exposition has the same lines as prom-client's", async () => {
  await fc.assert(
    fc.asyncProperty(rows, fc.integer({ min: 1, max: 5 }), async (made, targets) => {
      const registry = new Registry();
      const ofFamily = FAMILIES.map((family) => promMetric(family, registry));
      const answers: Sample[][] = Array.from({ length: targets }, () => []);
      for (const [index, { place, key, team, value }] of made.entries()) {
        const family = FAMILIES[place];
        if (!family) continue;
        const labels = place === 0 ? { key } : { key, team };
        ofFamily[place]?.(labels, value);
        answers[index % targets]?.push(...sample(family, { key, team }, value));
      }
      expect(await linesOfOurs(FAMILIES, answers)).toEqual(await linesOf(registry));
    }),
    { numRuns: 200 },
  );
});

test("the exposition of the benchmark's data has the same lines as prom-client's", async () => {
  const data = createDataSet(4000);
  const registry = new Registry();
  const metrics = familiesOf(data).map((family) => promMetric(family, registry));
  eachValue(data, 7, ({ family, labels }, value) => metrics[family]?.(labels, value));
  const families = familiesOf(data);
  const answers = [...samplesOf(data, families, 7)].map(([, samples]) => samples);
  expect(await linesOfOurs(families, answers)).toEqual(await linesOf(registry));
});

function promMetric(
  family: Family,
  registry: Registry,
): (labels: Record<string, string>, value: number) => void {
  const definition = {
    name: family.name,
    help: family.help,
    labelNames: [...family.labels],
    registers: [registry],
  };
  if (family.type === "counter") {
    const metric = new Counter(definition);
    return (labels, value) => metric.inc(labels, value);
  }
  const metric = new Gauge(definition);
  return (labels, value) => metric.set(labels, value);
}

async function linesOfOurs(families: readonly Family[], answers: readonly (readonly Sample[])[]) {
  const clock = createManualClock();
  const readings = createSampleReadings(clock);
  for (const [index, samples] of answers.entries()) {
    readings.put(String(index), samples, 1000);
  }
  const headers = families.map((family) => ({ family, help: family.help }));
  const publisher = createPublisher(
    readings,
    () => headers,
    clock,
    () => {},
  );
  const document = await publisher.current("text");
  publisher.stop();
  return sorted(Buffer.concat(await document.text()).toString());
}

/** prom-client also writes headers of families without samples. They are left out. */
async function linesOf(registry: Registry) {
  const all = sorted(await registry.metrics());
  const samples = all.filter((line) => !line.startsWith("#"));
  const isShown = (line: string) => {
    const name = line.split(" ")[2] ?? "";
    return !line.startsWith("#") || samples.some((shown) => shown.startsWith(`${name}{`));
  };
  return all.filter(isShown);
}

function sorted(lines: string): readonly string[] {
  return lines
    .split("\n")
    .filter((line) => line !== "")
    .toSorted();
}
