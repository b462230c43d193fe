import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createGateway } from "../gateway/gateway.ts";
import type { Manner } from "../gateway/transcription/manner.ts";
import { sample, sha256Of } from "../gateway/transcription/recordings.ts";
import { get, sampleAudio, sampleText, transcribe } from "./client.ts";

const noon = Date.parse("2026-11-18T12:00:10Z");
const gateway = createGateway({ now: () => noon });
beforeAll(async () => {
  await gateway.start();
  gateway.addKey({ name: "probe" });
});
afterAll(() => gateway.stop());
afterEach(() => gateway.manners.reset());

const model = "acme/ears";
const input_audio = { data: sampleAudio.toString("base64"), format: "mp3" };
const verbose = { response_format: "verbose_json" };
const withWords = { ...verbose, timestamp_granularities: ["word"] };
// 4.104 s at 6000 a minute cost 410.4 micro-credits; there are 10 tokens per second and 2 per word.
const usage = { cost: 0.00041, input_tokens: 42, output_tokens: 24, seconds: 4.104, total_tokens: 66 };
const segments = [{ id: 0, start: 0, end: 4.104, text: sampleText }];

describe("the answer", () => {
  test("to json contains the text and the usage", async () => {
    expect(await said()).toEqual({ text: sampleText, usage });
    const answer = await transcribe(gateway, "probe", { input_audio, model });
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(answer.headers.get("x-request-id")).toBe(gateway.books.transcriptions().at(-1)?.requestId);
    expect(answer.headers.get("x-ratelimit-limit")).toBeNull();
  });

  test("to verbose_json contains all fields of the contract except words", async () => {
    const rest = { task: "transcribe", language: "en", duration: 4.104, segments, confidence: 0.97, usage };
    expect(await said(verbose)).toEqual({ text: sampleText, ...rest });
    expect(await said({ ...verbose, timestamp_granularities: ["segment"] })).not.toHaveProperty("words");
    expect(await said({ ...withWords, response_format: "json" })).toEqual({ text: sampleText, usage });
  });

  test("contains words in order of time if they are requested, besides segments", async () => {
    const answer: { segments?: unknown; words?: { word: string; start: number; end: number }[] } =
      await said(withWords);
    const { words = [] } = answer;
    expect(answer.segments).toEqual(segments);
    expect(words.map(({ word }) => word).join(" ")).toBe(sampleText);
    expect([words[0]?.start, words.at(-1)?.end]).toEqual([0, 4.104]);
    for (const [index, { end }] of words.slice(0, -1).entries()) expect(words[index + 1]?.start).toBe(end);
  });

  test.each<[Partial<Manner>, Record<string, unknown>, Record<string, unknown>]>([
    [{ confidence: 0.4 }, verbose, { confidence: 0.4 }],
    [{ confidence: null }, verbose, { confidence: undefined }],
    [{ detectedLanguage: "german" }, verbose, { language: "german" }],
    [{ detectedLanguage: "de" }, { ...verbose, language: "fr" }, { language: "fr" }],
    [{ usage: false }, verbose, { usage: undefined, text: sampleText }],
    [{ usage: false }, {}, { usage: undefined, text: sampleText }],
    [{ words: false }, withWords, { words: undefined, segments }],
    [{ text: "Guten Tag, 世界" }, {}, { text: "Guten Tag, 世界" }],
    [{ text: "" }, withWords, { text: "", words: [], segments: [] }],
    [{ micros: 7 }, {}, { usage: { ...usage, cost: 0.000007 } }],
    [{ micros: 0 }, {}, { usage: { ...usage, cost: 0 } }],
    [{ microsPerMinute: 60_000 }, {}, { usage: { ...usage, cost: 0.004104 } }],
  ])("follows the manner %j for a request with %j", async (manner, fields, wanted) => {
    gateway.manners.change(manner);
    const answer = await said(fields);
    const seen = Object.fromEntries(Object.keys(wanted).map((name) => [name, answer[name]]));
    expect(seen).toStrictEqual(wanted);
  });

  test("to verbose_json is a 400 if the provider does not support it", async () => {
    gateway.manners.change({ verbose: false });
    const answer = await transcribe(gateway, "probe", { input_audio, model, ...verbose });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining("response_format")]);
    expect(await said()).toMatchObject({ text: sampleText });
  });
});

describe("the transcript has the requested number of word errors", () => {
  test.each<[number, number, number, string]>([
    [0, 0, 0, sampleText],
    [0, 0, 1, `${sampleText} bzzt`],
    [1, 0, 0, "key counts credits, and a warning comes before they run out."],
    [0, 1, 0, "bzzt key counts credits, and a warning comes before they run out."],
    [2, 1, 3, "bzzt credits, and a warning comes before they run out. bzzt bzzt bzzt"],
    [4, 4, 4, "bzzt bzzt bzzt bzzt before they run out. bzzt bzzt bzzt bzzt"],
    [12, 0, 0, ""],
    [0, 12, 0, "bzzt ".repeat(12).trim()],
  ])("%i deleted, %i substituted, %i inserted", async (deleted, substituted, inserted, text) => {
    gateway.manners.change({
      deletedWords: deleted,
      substitutedWords: substituted,
      insertedWords: inserted,
    });
    const answer: { text?: string } = await said();
    expect(answer.text).toBe(text);
    expect(wordDistance(sampleText, text)).toBe(deleted + substituted + inserted);
  });
});

describe("recordings", () => {
  test("include the bundled sample with its bundled text", () => {
    expect(sha256Of(sampleAudio)).toBe(sample.sha256);
    expect(sample.text).toBe(sampleText);
  });

  test("have a fixed text until they are added", async () => {
    const audio = Buffer.from("not really audio");
    const fields = { ...verbose, input_audio: { data: audio.toString("base64"), format: "wav" } };
    expect(await said(fields)).toMatchObject({ text: "The simulation does not know this recording." });
    gateway.recordings.add({ sha256: sha256Of(audio), text: "Bonjour à tous", seconds: 60, language: "fr" });
    expect(await said(fields)).toMatchObject({
      text: "Bonjour à tous",
      language: "fr",
      duration: 60,
      usage: { cost: 0.006, seconds: 60, input_tokens: 600, output_tokens: 6 },
    });
  });
});

describe("a manner for one model", () => {
  test("changes that model only, on top of the manner of all models", async () => {
    gateway.manners.change({ text: "all", confidence: 0.5 });
    gateway.manners.change({ text: "one" }, "acme/other");
    expect(await said(verbose)).toMatchObject({ text: "all", confidence: 0.5 });
    expect(await said({ ...verbose, model: "acme/other" })).toMatchObject({ text: "one", confidence: 0.5 });
    gateway.manners.reset();
    expect(await said({ ...verbose, model: "acme/other" })).toMatchObject({ text: sampleText });
  });
});

test("the books contain every detail of a call", async () => {
  const fields = {
    session_id: "s",
    user: "u",
    trace: { trace_id: "t" },
    provider: { a: 1 },
    temperature: 0.5,
  };
  gateway.manners.change({ latencyMs: 1 });
  await said({ ...withWords, ...fields, language: "en" });
  expect(gateway.books.transcriptions().at(-1)).toEqual({
    at: noon,
    requestId: `sim-transcription-${gateway.books.transcriptions().length}`,
    key: "probe",
    model,
    sessionId: "s",
    user: "u",
    trace: { trace_id: "t" },
    provider: { a: 1 },
    upload: "json",
    format: "mp3",
    sha256: sample.sha256,
    responseFormat: "verbose_json",
    granularities: ["word"],
    temperature: 0.5,
    language: "en",
    isLanguageForced: true,
    text: sampleText,
    seconds: 4.104,
    latencyMs: 1,
    micros: 410,
    cost: 0.00041,
    inputTokens: 42,
    outputTokens: 24,
  });
});

test("the answer arrives after its latency, and a caller who disconnects before is still charged", async () => {
  gateway.manners.change({ latencyMs: 2 ** 40 }, "acme/slow");
  const before = gateway.books.transcriptions().length;
  const caller = new AbortController();
  const never = fetch(`${gateway.url}/audio/transcriptions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${gateway.tokens.get("probe")}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ input_audio, model: "acme/slow" }),
    signal: caller.signal,
  });
  await answered();
  // The next call overtakes it, which proves that it waits.
  expect(await said()).toMatchObject({ text: sampleText });
  caller.abort();
  await expect(never).rejects.toThrow("aborted");
  const records = gateway.books.transcriptions().slice(before);
  expect(records.map((record) => [record.model, record.micros])).toEqual([
    ["acme/slow", 410],
    [model, 410],
  ]);
});

test("the log keeps only the beginning of a transcription's body", async () => {
  await said();
  const body = gateway.log.of("transcription", "probe").at(-1)?.body;
  expect(body).toBe(JSON.stringify({ input_audio, model }).slice(0, 500));
});

test("GET is refused, and so is a request without a key", async () => {
  const path = "/audio/transcriptions";
  expect((await get(gateway, path, gateway.tokens.get("probe") ?? "")).status).toBe(404);
  expect((await transcribe(gateway, "nobody", { input_audio, model })).status).toBe(401);
});

/** The body of the answer. Throws unless the status is 200. */
async function said(fields: Readonly<Record<string, unknown>> = {}): Promise<Record<string, unknown>> {
  const answer = await transcribe(gateway, "probe", { input_audio, model, ...fields });
  if (answer.status !== 200) throw new Error(`Cannot transcribe: ${answer.status} ${answer.text}`);
  const body: Record<string, unknown> = JSON.parse(answer.text);
  return body;
}

/** Resolves when the gateway has answered the next request, even if its caller has not received the answer. */
async function answered(): Promise<void> {
  const total = gateway.log.total;
  while (gateway.log.total === total) await new Promise((resolve) => setImmediate(resolve));
}

/** The Levenshtein distance in words, computed one row of the table at a time. */
function wordDistance(expected: string, heard: string): number {
  const wanted = expected.split(" ");
  const words = heard === "" ? [] : heard.split(" ");
  let row = wanted.map((_, index) => index + 1);
  for (const [line, word] of words.entries()) {
    let left = line + 1;
    let corner = line;
    row = row.map((above, index) => {
      const cost = Math.min(above + 1, left + 1, corner + (wanted[index] === word ? 0 : 1));
      corner = above;
      left = cost;
      return cost;
    });
  }
  return row.at(-1) ?? words.length;
}
