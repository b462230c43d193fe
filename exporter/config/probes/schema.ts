import { z } from "zod";
import { duration, isNot, number, path, pattern, positiveNumber, schedule, section, text } from "../field.ts";
import { KEY_NAME } from "../key-name.ts";

const oneOf = <const Choice extends string>(choices: readonly [Choice, Choice], type: string) =>
  z
    .enum(choices, { error: ({ input }) => isNot(choices.join(" or "), input) })
    .meta({ rule: choices.map((choice) => `\`${choice}\``).join(" or "), type });

/** An entry of `probes`. What a field alone cannot know is checked in `draft.ts`. */
export const probeSection = section({
  name: pattern(KEY_NAME, "name").describe("Value of the label `probe`; unique."),
  key: pattern(KEY_NAME, "name").describe(
    "Name of the key that pays, of `keys` or `keys_dir`; best one of the probes' own.",
  ),
  model: pattern(/^[^\s/]+\/\S+$/, "model").describe("Speech-to-text model, `provider/model`."),
  audio: path()
    .optional()
    .describe("Audio file, at most 25 MiB, read again before each run. Else the bundled sample."),
  format: pattern(/^[a-z0-9]{1,16}$/, "format")
    .optional()
    .describe("Format of `audio`; else the ending of its name."),
  expected_text: text(0, 20_000)
    .optional()
    .describe("What is said in `audio`, which needs it; the bundled sample has its own."),
  max_word_error_rate: number(0, 10)
    .prefault(0.2)
    .describe("Highest word error rate with which the probe succeeds; beyond, its failure is `wrong_text`."),
  expected_language: pattern(/^[a-z]{2}$/, "language")
    .optional()
    .describe("Language (ISO 639-1) that should be detected; needs `verbose_json`. It is not sent."),
  response_format: oneOf(["json", "verbose_json"], "format")
    .prefault("json")
    .describe("`verbose_json` tells of duration, language and confidence; not every provider knows it."),
  upload: oneOf(["json", "multipart"], "upload")
    .prefault("json")
    .describe("Whether the audio is sent in base64 within JSON, or as a form."),
  schedule: schedule().prefault("0 * * * *").describe("When the probe is run. It is not run at the start."),
  timeout: duration("1s", "30m", "1m").prefault("1m").describe("One run; it is never repeated."),
});

/** The section `probe_spend`: the spend guard. */
export const probeSpendSection = section({
  max_cost_per_day: positiveNumber().describe("Credits that all probes together may spend per UTC day."),
  max_cost_per_probe: positiveNumber().describe(
    "Credits that one run may cost: set aside before it, and counted when its cost is not known.",
  ),
});

/** A probe after its check. */
export type ProbeEntry = z.output<typeof probeSection>;
