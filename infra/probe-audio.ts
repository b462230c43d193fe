import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { extname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";

/** Folder in the container where the probes' recordings are mounted. */
export const AUDIO_PATH = "/etc/aigateway-exporter-audio";

/** Maximum total size of a ConfigMap's entries. */
const MOST_BYTES = 1_048_576;

export interface ProbeAudio {
  /** The probes with the mounted paths of their recordings; empty if there are no probes. */
  readonly probes: { readonly probes?: readonly unknown[] };
  /** The recordings by file name, in base64. */
  readonly entries: Readonly<Record<string, string>>;
}

/**
 * Reads the probes' recordings: files on the machine that runs Pulumi, relative to Pulumi.yaml. Probes
 * without a recording send the sample in the image. A value that is not a probe is left unchanged: the schema
 * reports what is wrong with it.
 */
export function probeAudio(written: unknown, problems: string[]): ProbeAudio {
  const list = z.array(z.unknown()).safeParse(written).data;
  if (!list) return { probes: {}, entries: {} };
  const entries: Record<string, string> = {};
  let bytes = 0;
  const probes = list.map((value, index) => {
    const probe = recorded.safeParse(value).data;
    if (!probe) return value;
    const audio = readAudio(probe.audio, (fault) =>
      problems.push(`exporter.probes[${index}].audio: ${fault}`),
    );
    const entry = `${probe.name}${extname(probe.audio)}`;
    entries[entry] = audio.toString("base64");
    bytes += audio.length;
    return { ...probe, audio: `${AUDIO_PATH}/${entry}` };
  });
  if (bytes > MOST_BYTES) {
    problems.push(
      `exporter.probes: their recordings have ${bytes} bytes in total; a ConfigMap holds at most ${MOST_BYTES}`,
    );
  }
  return { probes: { probes }, entries };
}

const recorded = z.looseObject({ name: z.string(), audio: z.string().min(1) });

/** The folder that contains Pulumi.yaml. */
const PROJECT = fileURLToPath(new URL("..", import.meta.url));

function readAudio(path: string, refuse: (fault: string) => void): Buffer {
  try {
    const bytes = readFileSync(resolve(PROJECT, path));
    if (bytes.length === 0) refuse(`file ${JSON.stringify(path)} is empty`);
    return bytes;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    refuse(
      `file ${JSON.stringify(path)} cannot be read (${code}); it must exist on the machine that runs Pulumi`,
    );
    return Buffer.alloc(0);
  }
}
