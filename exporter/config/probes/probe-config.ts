import type { SecretSource } from "../../secrets/secret.ts";
import type { ConfigFile } from "../schema.ts";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { FileError, type Files, readingFault } from "../../secrets/files.ts";
import { quotePath } from "../../secrets/quote.ts";
import { type Checked, type Report, right } from "../rules.ts";
import { audioFormat, type ProbeEntry } from "./schema.ts";

/** The probes and their daily ceiling; undefined when no probes are configured. `audio`: that of each probe. */
export async function probingConfig(
  { probes, probe_spend: spend }: ConfigFile,
  audio: readonly (AudioSource | undefined)[],
  keys: readonly (Payer & { readonly name: string })[],
) {
  if (probes.length === 0 || !spend) return undefined;
  const sample = await bundledSample();
  const payers = new Map(keys.map((key) => [key.name, key]));
  const configured: readonly ProbeConfig[] = probes.flatMap((entry, index) => {
    const payer = payers.get(entry.key);
    return payer ? [probeConfig(entry, payer, audio[index] ?? sample.audio, sample.text)] : [];
  });
  return {
    probes: configured,
    ceilingCredits: spend.max_cost_per_day,
    maxCostCredits: spend.max_cost_per_probe,
  };
}

interface Payer {
  readonly secret: SecretSource;
  readonly owner: { readonly team: string };
}

function probeConfig(entry: ProbeEntry, { secret, owner }: Payer, audio: AudioSource, sampleText: string) {
  return {
    name: entry.name,
    key: entry.key,
    team: owner.team,
    secret,
    model: entry.model,
    audio,
    expectedText: entry.expected_text ?? sampleText,
    maxWordErrorRate: entry.max_word_error_rate,
    expectedLanguage: entry.expected_language,
    responseFormat: entry.response_format,
    upload: entry.upload,
    schedule: entry.schedule,
    timeoutMs: entry.timeout,
  };
}

/** Transcriptions on a schedule, and what they may spend. */
export type ProbingConfig = Readonly<NonNullable<Awaited<ReturnType<typeof probingConfig>>>>;
export type ProbeConfig = Readonly<ReturnType<typeof probeConfig>>;

/** A source of audio, read again for each use. */
export interface AudioSource {
  /** For messages: `file "/etc/probes/hello.wav"`. */
  readonly origin: string;
  readonly format: string;
  /** If the read failed, the bytes are those of the last successful read, if any. */
  read(): Promise<{ readonly bytes: Uint8Array | undefined; readonly fault: string | undefined }>;
}

/** The contract has no limit. Services of this kind accept 25 MB. */
const MOST_BYTES = 25 * 1024 * 1024;

/**
 * An audio file, read again for each use, so a replaced file is used at once. When a read fails, the last
 * bytes are used.
 */
export function fileAudio(path: string, format: string, files: Pick<Files, "readBytes">): AudioSource {
  const origin = `file ${quotePath(path)}`;
  let last: Uint8Array | undefined;
  return {
    origin,
    format,
    read: async () => {
      try {
        const bytes = await files.readBytes(path, MOST_BYTES);
        if (bytes.length === 0) throw new FileError("is empty");
        last = bytes;
        return { bytes, fault: undefined };
      } catch (error) {
        return { bytes: last, fault: `${origin} ${readingFault(error)}` };
      }
    },
  };
}

/** The audio file of a probe, read once to report problems before the first run fails. */
export async function readAudio(
  probe: Checked<ProbeEntry>,
  index: number,
  resolve: (path: string) => string,
  files: Pick<Files, "readBytes">,
  report: Report,
): Promise<AudioSource | undefined> {
  const path = right(probe, "audio");
  if (path === undefined) return undefined;
  const audio = fileAudio(resolve(path), right(probe, "format") ?? audioFormat(path) ?? "", files);
  const { fault } = await audio.read();
  if (fault !== undefined) report(["probes", index, "audio"], fault);
  return audio;
}

/** The bundled recording and its text. */
export async function bundledSample(): Promise<{ readonly audio: AudioSource; readonly text: string }> {
  const text = await readFile(sampleFile("sample.txt"), "utf8");
  const bytes = await readFile(sampleFile("sample.mp3"));
  const read = () => Promise.resolve({ bytes, fault: undefined });
  return { audio: { origin: "the bundled sample", format: "mp3", read }, text: text.trim() };
}

function sampleFile(name: string): string {
  return fileURLToPath(new URL(`../../probes/sample/${name}`, import.meta.url));
}
