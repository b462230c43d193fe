import { z } from "zod";
import { audioFormat } from "./audio.ts";
import { probeSection, probeSpendSection } from "./schema.ts";
import type { Problem } from "../problem.ts";
import { quote } from "../quote.ts";

/** A probe as far as it can be read, whatever else is wrong with it. */
export interface ProbeDraft {
  readonly name: string | undefined;
  readonly key: string | undefined;
  /** Path of the audio file as written; undefined: the bundled sample, or it cannot be read. */
  readonly audio: string | undefined;
  /** Rules between its own fields that are broken. */
  readonly problems: readonly Problem[];
}

export function probeDraft(entry: unknown, index: number): ProbeDraft {
  const fields = mapping.safeParse(entry).data;
  if (!fields) return { name: undefined, key: undefined, audio: undefined, problems: [] };
  const { name, key, audio } = probeSection.shape;
  return {
    name: name.safeParse(fields["name"]).data,
    key: key.safeParse(fields["key"]).data,
    audio: audio.safeParse(fields["audio"]).data,
    problems: [...audioProblems(`probes[${index}]`, fields), ...languageProblems(`probes[${index}]`, fields)],
  };
}

/** Keys that do not exist. */
export function payerProblems(
  probes: readonly ProbeDraft[],
  known: readonly { readonly name: string }[],
): Problem[] {
  const names = new Set(known.map(({ name }) => name));
  return probes.flatMap(({ key }, index) =>
    key === undefined || names.has(key)
      ? []
      : [{ path: `probes[${index}].key`, message: `${quote(key)} is no key of keys or keys_dir` }],
  );
}

/** Probes cost money, so there are none without a ceiling, and none that the ceiling can never hold. */
export function spendProblems(hasProbes: boolean, spend: unknown): Problem[] {
  if (hasProbes && spend === undefined)
    return [{ path: "probe_spend", message: "is missing; probes cost credits and need it" }];
  const read = probeSpendSection.safeParse(spend).data;
  if (!read || read.max_cost_per_probe <= read.max_cost_per_day) return [];
  const { max_cost_per_probe: run, max_cost_per_day: day } = read;
  return [
    {
      path: "probe_spend.max_cost_per_probe",
      message: `${run} is more than max_cost_per_day, ${day}, so that no probe could ever run`,
    },
  ];
}

const mapping = z.record(z.string(), z.unknown());

type Fields = Readonly<Record<string, unknown>>;

function audioProblems(at: string, fields: Fields): Problem[] {
  const { audio, format, expected_text: expected } = fields;
  if (audio === undefined) {
    return ["format", "expected_text"]
      .filter((name) => fields[name] !== undefined)
      .map((name) => ({
        path: `${at}.${name}`,
        message: "is for audio only; the bundled sample has its own",
      }));
  }
  const problems: Problem[] = [];
  if (expected === undefined)
    problems.push({ path: `${at}.expected_text`, message: "is missing; audio needs it" });
  if (format === undefined && typeof audio === "string" && audioFormat(audio) === undefined) {
    problems.push({
      path: `${at}.format`,
      message: "is missing; the name of the audio file does not end in one",
    });
  }
  return problems;
}

function languageProblems(
  at: string,
  { expected_language: language, response_format: form }: Fields,
): Problem[] {
  if (language === undefined || form === "verbose_json") return [];
  return [
    {
      path: `${at}.expected_language`,
      message: "needs response_format verbose_json: json tells no language",
    },
  ];
}
