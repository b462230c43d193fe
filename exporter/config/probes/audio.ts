import { fileURLToPath } from "node:url";
import type { AudioSource } from "../config.ts";
import { FileError, readingFault } from "../file-error.ts";
import { type Files, systemFiles } from "../files.ts";
import { quotePath } from "../quote.ts";

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

/** The bundled recording and its text. */
export async function bundledSample(): Promise<{ readonly audio: AudioSource; readonly text: string }> {
  const text = await systemFiles.readFile(sampleFile("sample.txt"), MOST_BYTES);
  const bytes = await systemFiles.readBytes(sampleFile("sample.mp3"), MOST_BYTES);
  const read = () => Promise.resolve({ bytes, fault: undefined });
  return { audio: { origin: "the bundled sample", format: "mp3", read }, text: text.trim() };
}

/** The format that the name of a file ends in. */
export function audioFormat(path: string): string | undefined {
  return /[^/]\.([a-z0-9]{1,16})$/i.exec(path)?.[1]?.toLowerCase();
}

function sampleFile(name: string): string {
  return fileURLToPath(new URL(`../../probes/sample/${name}`, import.meta.url));
}
