import { expect, test } from "vitest";
import type { KeyModels } from "../../../../exporter/status/key-models.ts";
import { keyModelsSection } from "../../../../exporter/status/page/key-models.ts";
import { markupFaults, NOW, rows, textOf } from "./page-reader.ts";

function sectionOf(more: Partial<KeyModels>): string {
  const models = [
    { model: "acme/one", credits: 3 },
    { model: "_other", credits: 1 },
  ];
  const row: KeyModels = {
    name: "keys-day",
    state: "up",
    failure: undefined,
    lastSuccessMs: NOW - 5000,
    window: "day",
    label: "Prod",
    gap: undefined,
    dataMs: NOW - 60_000,
    credits: 4,
    models,
    ...more,
  };
  return keyModelsSection([row], NOW).toString();
}

test("the models of a key add up to its spend", () => {
  const section = sectionOf({});
  expect(textOf(section)).toContain("Models Today ● Up 1 min ago Credits 4.00 Model Credits Share");
  expect(rows(section).slice(1)).toEqual([
    ["acme/one", "3.00", "75.0%"],
    ["_other", "1.00", "25.0%"],
  ]);
});

test.each<[string, Partial<KeyModels>, string]>([
  ["a partial answer is a lower bound", { gap: "partial" }, "Credits at least 4.00"],
  [
    "a partial answer without rows of the key is unknown",
    { gap: "partial", credits: undefined, models: [] },
    "Credits — Rows or amounts are missing in the answer of the gateway.",
  ],
  [
    "an answer that the figures of the key contradict is unknown",
    { gap: "doubtful", credits: undefined, models: [] },
    "Credits — Unknown: the answer of the gateway has no spend under the name of the key,",
  ],
  [
    "a key without a name is unknown",
    { gap: "unnamed", label: "", credits: undefined, models: [] },
    "Unknown: the gateway reports this by the names that keys have there, and this key has none.",
  ],
  [
    "an amount that the gateway does not send is unknown",
    { gap: "partial", models: [{ model: "acme/one", credits: undefined }] },
    "acme/one — —",
  ],
  [
    "no answer is unknown",
    { gap: "unanswered", credits: undefined, models: [], state: "waiting", lastSuccessMs: undefined },
    "○ Waiting not polled yet Credits — There are no current data for this window.",
  ],
  [
    "nothing spent is 0",
    { credits: 0, models: [] },
    "Credits 0.00 The gateway reports no spend in this window.",
  ],
  [
    "a refund that cancels a spend is 0 with its models",
    {
      credits: 0,
      models: [
        { model: "a", credits: 1 },
        { model: "b", credits: -1 },
      ],
    },
    "a 1.00 — b −1.00 —",
  ],
])("%s", (_, more, words) => {
  expect(textOf(sectionOf(more))).toContain(words);
});

test("hostile names are text", () => {
  const evil = `"><script>x</script>\u202e`;
  const section = sectionOf({ label: evil, models: [{ model: evil, credits: 4 }] });
  expect(markupFaults(section)).toEqual([]);
  expect(section).not.toContain("<script");
});
