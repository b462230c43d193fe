import { z } from "zod";
import { duration, isNot, KEY_NAME, number, path, pattern, positiveNumber } from "../field.ts";
import { schedule, section, text } from "../field.ts";
import { type Checked, type Finding, has, right, withRules } from "../rules.ts";
import { audioFormat } from "./audio.ts";

const oneOf = <const Choice extends string>(choices: readonly [Choice, Choice], type: string) =>
  z
    .enum(choices, { error: ({ input }) => isNot(choices.join(" or "), input) })
    .meta({ rule: choices.map((choice) => `\`${choice}\``).join(" or "), type });

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
  response_format: oneOf(["json", "verbose_json"], "format")
    .prefault("json")
    .describe("`verbose_json` adds duration, language and confidence; not every provider supports it."),
  upload: oneOf(["json", "multipart"], "upload")
    .prefault("json")
    .describe("Whether the audio is sent as base64 in JSON, or as a form."),
  schedule: schedule().prefault("0 * * * *").describe("When the probe runs. It does not run at the start."),
  timeout: duration("1s", "30m", "1m")
    .prefault("1m")
    .describe("Time limit of one run, which is never retried."),
});

/** An entry of `probes`. */
export const probeSection = withRules(fields, (probe) => [
  ...audioFindings(probe),
  ...languageFindings(probe),
]);

/** The section `probe_spend`: the spend guard, which must leave room for one run. */
export const probeSpendSection = withRules(
  section({
    max_cost_per_day: positiveNumber().describe("Credits that all probes together may spend per UTC day."),
    max_cost_per_probe: positiveNumber().describe(
      "Credits that one run may cost: reserved before it, and counted when its cost is unknown.",
    ),
  }),
  (spend) => {
    const [run, day] = [right(spend, "max_cost_per_probe"), right(spend, "max_cost_per_day")];
    if (run === undefined || day === undefined || run <= day) return [];
    const message = `${run} is more than max_cost_per_day, ${day}, so no probe could ever run`;
    return [{ path: ["max_cost_per_probe"], message }];
  },
);

/** A probe after its check. */
export type ProbeEntry = z.output<typeof fields>;

type Probe = Checked<ProbeEntry>;

function audioFindings(probe: Probe): readonly Finding[] {
  if (!has(probe, "audio")) {
    const surplus = (["format", "expected_text"] as const).filter((name) => has(probe, name));
    return surplus.map((name) => ({
      path: [name],
      message: "applies to audio only; the bundled sample has its own",
    }));
  }
  const findings: Finding[] = [];
  if (!has(probe, "expected_text"))
    findings.push({ path: ["expected_text"], message: "is missing; it is required with audio" });
  const audio = right(probe, "audio");
  if (!has(probe, "format") && audio !== undefined && audioFormat(audio) === undefined) {
    const message = "is missing, and the name of the audio file does not end in a known one";
    findings.push({ path: ["format"], message });
  }
  return findings;
}

function languageFindings(probe: Probe): readonly Finding[] {
  if (!has(probe, "expected_language") || probe.value.response_format === "verbose_json") return [];
  const message = "needs response_format verbose_json: json does not report the language";
  return [{ path: ["expected_language"], message }];
}
