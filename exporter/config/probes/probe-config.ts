import { audioFormat, bundledSample, fileAudio } from "./audio.ts";
import type { AudioSource, KeyConfig, ProbeConfig, ProbingConfig } from "../config.ts";
import type { Files } from "../files.ts";
import type { ProbeDraft } from "./draft.ts";
import type { ProbeEntry } from "./schema.ts";
import type { Problem } from "../problem.ts";
import type { ConfigFile } from "../schema.ts";

/** The audio of a probe, and what is said in it where the configuration does not tell. */
export interface ProbeAudio {
  readonly audio: AudioSource;
  readonly text: string | undefined;
}

/** Reads the audio of each probe once, to say at the start what would fail at the first run. */
export async function readAudio(
  probes: readonly ProbeDraft[],
  entries: readonly ProbeEntry[],
  resolve: (path: string) => string,
  files: Pick<Files, "readBytes">,
): Promise<{ readonly audio: readonly ProbeAudio[]; readonly problems: readonly Problem[] }> {
  const audio = await Promise.all(
    probes.map(async ({ audio: path }, index): Promise<ProbeAudio> => {
      if (path === undefined) return bundledSample();
      const format = entries[index]?.format ?? audioFormat(path) ?? "";
      return { audio: fileAudio(resolve(path), format, files), text: undefined };
    }),
  );
  const faults = await Promise.all(audio.map(async ({ audio: source }) => (await source.read()).fault));
  const problems = faults.flatMap((message, index) =>
    message === undefined ? [] : [{ path: `probes[${index}].audio`, message }],
  );
  return { audio, problems };
}

/** Undefined: no probes are configured. */
export function probingConfig(
  { probes, probe_spend: spend }: ConfigFile,
  audio: readonly ProbeAudio[],
  keys: readonly KeyConfig[],
): ProbingConfig | undefined {
  if (probes.length === 0 || !spend) return undefined;
  return {
    probes: probes.flatMap((entry, index) => probeConfig(entry, audio[index], keys)),
    ceilingCredits: spend.max_cost_per_day,
    maxCostCredits: spend.max_cost_per_probe,
  };
}

function probeConfig(
  entry: ProbeEntry,
  audio: ProbeAudio | undefined,
  keys: readonly KeyConfig[],
): readonly ProbeConfig[] {
  const key = keys.find(({ name }) => name === entry.key);
  if (!key || !audio) return [];
  return [
    {
      name: entry.name,
      key: key.name,
      secret: key.secret,
      model: entry.model,
      audio: audio.audio,
      expectedText: entry.expected_text ?? audio.text ?? "",
      maxWordErrorRate: entry.max_word_error_rate,
      expectedLanguage: entry.expected_language,
      responseFormat: entry.response_format,
      upload: entry.upload,
      schedule: entry.schedule,
      timeoutMs: entry.timeout,
    },
  ];
}
