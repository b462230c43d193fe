import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { extname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";

/** Where recordings of probes are mounted in the container. */
export const AUDIO_PATH = "/etc/aigateway-exporter-audio";

/** All entries of a ConfigMap together. */
const MOST_BYTES = 1_048_576;

export interface ProbeAudio {
  /** The probes with the places where their recordings are mounted; nothing if there are none. */
  readonly probes: { readonly probes?: readonly unknown[] };
  /** Recordings by the name of their file, base64. */
  readonly entries: Readonly<Record<string, string>>;
}

/**
 * Reads the recordings that probes name: files on the machine that deploys, relative to Pulumi.yaml. Probes without one send
 * the sample that is part of the image. What is no probe is left as it is: the schema says what is wrong with it.
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
      `exporter.probes: their recordings have ${bytes} bytes; a ConfigMap takes ${MOST_BYTES}, all of them together`,
    );
  }
  return { probes: { probes }, entries };
}

const recorded = z.looseObject({ name: z.string(), audio: z.string().min(1) });

/** The folder of Pulumi.yaml. */
const PROJECT = fileURLToPath(new URL("..", import.meta.url));

function readAudio(path: string, refuse: (fault: string) => void): Buffer {
  try {
    const bytes = readFileSync(resolve(PROJECT, path));
    if (bytes.length === 0) refuse(`file ${JSON.stringify(path)} is empty`);
    return bytes;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    refuse(`file ${JSON.stringify(path)} cannot be read (${code}); it must be on the machine that deploys`);
    return Buffer.alloc(0);
  }
}
