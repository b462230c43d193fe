import type { z } from "zod";
import {
  choice,
  duration,
  KEY_NAME,
  number,
  path,
  pattern,
  positiveNumber,
  schedule,
  section,
  text,
} from "../field.ts";
import { type Checked, has, type Report, right, withRules } from "../rules.ts";

const fields = section({
  name: pattern(KEY_NAME, "name").describe("Value of the label `probe`; unique."),
  key: pattern(KEY_NAME, "name").describe(
    "Name of the key that pays, from `keys` or `keys_dir`; preferably one that only probes use.",
  ),
  model: pattern(/^[^\s/]+\/\S+$/, "model").describe("Speech-to-text model, `provider/model`."),
  audio: path()
    .optional()
    .describe("Audio file, at most 25 MiB, read again before each run. Default: the bundled sample."),
  format: pattern(/^[a-z0-9]{1,16}$/, "format")
    .optional()
    .describe("Format of `audio`. Default: the extension of its name."),
  expected_text: text(0, 20_000)
    .optional()
    .describe("Text spoken in `audio`, required with `audio`. The bundled sample has its own."),
  max_word_error_rate: number(0, 10)
    .prefault(0.2)
    .describe("Highest word error rate of a successful probe; above it the probe fails with `wrong_text`."),
  expected_language: pattern(/^[a-z]{2}$/, "language")
    .optional()
    .describe(
      "Expected language of the transcript (ISO 639-1); needs `verbose_json`. It is not sent to the gateway.",
    ),
  response_format: choice(["json", "verbose_json"], "format")
    .prefault("json")
    .describe("`verbose_json` adds duration, language and confidence; not every provider supports it."),
  upload: choice(["json", "multipart"], "upload")
    .prefault("json")
    .describe("Whether the audio is sent as base64 in JSON, or as a form."),
  schedule: schedule().prefault("0 * * * *").describe("When the probe runs. It does not run at the start."),
  timeout: duration("1s", "30m", "1m")
    .prefault("1m")
    .describe("Time limit of one run, which is never retried."),
});

/** An entry of `probes`. */
export const probeSection = withRules(fields, (probe, report) => {
  checkAudio(probe, report);
  if (has(probe, "expected_language") && probe.value.response_format !== "verbose_json")
    report(["expected_language"], "needs response_format verbose_json: json does not report the language");
});

/** The section `probe_spend`: the daily ceiling, which must leave room for one run. */
export const probeSpendSection = withRules(
  section({
    max_cost_per_day: positiveNumber().describe("Credits that all probes together may spend per UTC day."),
    max_cost_per_probe: positiveNumber().describe(
      "Credits that one run may cost: reserved before it, and counted when its cost is unknown.",
    ),
  }),
  (spend, report) => {
    const [run, day] = [right(spend, "max_cost_per_probe"), right(spend, "max_cost_per_day")];
    if (run !== undefined && day !== undefined && run > day)
      report(
        ["max_cost_per_probe"],
        `${run} is more than max_cost_per_day, ${day}, so no probe could ever run`,
      );
  },
);

/** A probe after its check. */
export type ProbeEntry = z.output<typeof fields>;

function checkAudio(probe: Checked<ProbeEntry>, report: Report): void {
  if (!has(probe, "audio")) {
    for (const name of ["format", "expected_text"] as const)
      if (has(probe, name)) report([name], "applies to audio only; the bundled sample has its own");
    return;
  }
  if (!has(probe, "expected_text")) report(["expected_text"], "is missing; it is required with audio");
  const audio = right(probe, "audio");
  if (!has(probe, "format") && audio !== undefined && audioFormat(audio) === undefined)
    report(["format"], "is missing, and the name of the audio file does not end in a known one");
}

/** The format that the name of a file ends in. */
export function audioFormat(file: string): string | undefined {
  return /[^/]\.([a-z0-9]{1,16})$/i.exec(file)?.[1]?.toLowerCase();
}
