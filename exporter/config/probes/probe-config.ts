import type { AudioSource, KeyConfig, ProbeConfig, ProbingConfig } from "../config.ts";
import type { Files } from "../files.ts";
import { type Checked, type Finding, right } from "../rules.ts";
import type { ConfigFile } from "../schema.ts";
import { audioFormat, bundledSample, fileAudio } from "./audio.ts";
import type { ProbeEntry } from "./schema.ts";

/** Returns the audio file of a path and a format; the same source each time. */
export type AudioFiles = (path: string, format: string) => AudioSource;

/** Creates the audio files of a configuration. Each remembers what it read last. */
export function createAudioFiles(
  resolve: (path: string) => string,
  files: Pick<Files, "readBytes">,
): AudioFiles {
  const known = new Map<string, AudioSource>();
  return (path, format) => {
    const id = `${format} ${path}`;
    const source = known.get(id) ?? fileAudio(resolve(path), format, files);
    known.set(id, source);
    return source;
  };
}

/** Reads each audio file once at startup, to report problems before the first run fails. */
export async function audioFindings(
  probes: readonly Checked<ProbeEntry>[],
  audioFiles: AudioFiles,
): Promise<readonly Finding[]> {
  const findings = probes.map(async (probe, index): Promise<readonly Finding[]> => {
    const path = right(probe, "audio");
    if (path === undefined) return [];
    const { fault } = await audioFiles(path, formatOf(path, right(probe, "format"))).read();
    return fault === undefined ? [] : [{ path: ["probes", index, "audio"], message: fault }];
  });
  return (await Promise.all(findings)).flat();
}

/** The probes and their spend guard; undefined when no probes are configured. */
export async function probingConfig(
  { probes, probe_spend: spend }: ConfigFile,
  audioFiles: AudioFiles,
  keys: readonly KeyConfig[],
): Promise<ProbingConfig | undefined> {
  if (probes.length === 0 || !spend) return undefined;
  const isSampleNeeded = probes.some(({ audio }) => audio === undefined);
  const sample = isSampleNeeded ? await bundledSample() : undefined;
  const byName = new Map(keys.map((key) => [key.name, key]));
  return {
    probes: probes.flatMap((entry) => {
      const key = byName.get(entry.key);
      if (!key) return [];
      const { audio: path, format } = entry;
      if (path === undefined) return sample ? [probeConfig(entry, key, sample.audio, sample.text)] : [];
      return [probeConfig(entry, key, audioFiles(path, formatOf(path, format)), "")];
    }),
    ceilingCredits: spend.max_cost_per_day,
    maxCostCredits: spend.max_cost_per_probe,
  };
}

function formatOf(path: string, written: string | undefined): string {
  return written ?? audioFormat(path) ?? "";
}

function probeConfig(entry: ProbeEntry, key: KeyConfig, audio: AudioSource, text: string): ProbeConfig {
  return {
    name: entry.name,
    key: key.name,
    secret: key.secret,
    model: entry.model,
    audio,
    expectedText: entry.expected_text ?? text,
    maxWordErrorRate: entry.max_word_error_rate,
    expectedLanguage: entry.expected_language,
    responseFormat: entry.response_format,
    upload: entry.upload,
    schedule: entry.schedule,
    timeoutMs: entry.timeout,
  };
}
