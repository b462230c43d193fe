import { type Manner, wordsOf } from "./manner.ts";
import type { TranscriptionRecord } from "./record.ts";

/** The body of a successful answer (2.6). */
export function transcriptBody(record: TranscriptionRecord, manner: Manner): Record<string, unknown> {
  const { text, language, seconds, granularities, inputTokens, outputTokens, cost } = record;
  const usage = {
    cost,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    seconds,
    total_tokens: inputTokens + outputTokens,
  };
  const rest = manner.usage ? { usage } : {};
  if (record.responseFormat === "json") return { text, ...rest };
  const segments = text === "" ? [] : [{ id: 0, start: 0, end: seconds, text }];
  return {
    text,
    task: "transcribe",
    language,
    duration: seconds,
    segments,
    ...(granularities.includes("word") && manner.words ? { words: timedWords(text, seconds) } : {}),
    ...(manner.confidence === null ? {} : { confidence: manner.confidence }),
    ...rest,
  };
}

/** All words have the same duration. */
function timedWords(text: string, seconds: number) {
  const words = wordsOf(text);
  const timeOf = (index: number): number => Math.round((1000 * seconds * index) / words.length) / 1000;
  return words.map((word, index) => ({ word, start: timeOf(index), end: timeOf(index + 1) }));
}
