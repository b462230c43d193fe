import { describe, expect, test } from "vitest";
import type { FailureReason } from "../../../exporter/gateway/errors.ts";
import { parseTranscription, transcribe } from "../../../exporter/gateway/transcription.ts";
import type { TranscriptionRequest } from "../../../exporter/gateway/transcription-request.ts";
import { createClient, PLANTED } from "../../support/gateway-client.ts";
import {
  answering,
  type SeenRequest,
  startScriptedServer,
  type Step,
} from "../../support/scripted-server.ts";
import { TRANSCRIPTION_FAILURES } from "../../support/transcription-failures.ts";
import { secretSource } from "../../support/test-config.ts";

const AUDIO = { bytes: Buffer.from([0, 255, 13, 10, 45, 45, 128]), format: "wav" };
const REQUEST: TranscriptionRequest = { audio: AUDIO, model: "acme/ear" };
const CALL = { name: "short", secret: secretSource(PLANTED), timeoutMs: 5000 };
const NEVER = new AbortController().signal;

const FULL: TranscriptionRequest = {
  ...REQUEST,
  language: "en",
  responseFormat: "verbose_json",
  temperature: 0.5,
  timestampGranularities: ["word", "segment"],
  provider: { order: ["one"] },
  sessionId: "s1",
  trace: { trace_id: "t1", mine: 1 },
  user: "u1",
};

async function asked(request: TranscriptionRequest): Promise<SeenRequest> {
  const server = await startScriptedServer(answering(200, { text: "Hello" }));
  const { http } = createClient({ baseUrl: server.url });
  expect(await transcribe(http, CALL, request, NEVER)).toMatchObject({ text: "Hello" });
  expect(server.requests).toHaveLength(1);
  const [seen] = server.requests;
  if (!seen) throw new Error("Nothing was asked");
  return seen;
}

describe("transcribe: the request", () => {
  test("is JSON with the audio in base64", async () => {
    const { method, path, headers, body } = await asked(FULL);
    expect([method, path]).toEqual(["POST", "/audio/transcriptions"]);
    expect(headers).toMatchObject({ "content-type": "application/json", authorization: `Bearer ${PLANTED}` });
    expect(JSON.parse(body)).toEqual({
      input_audio: { data: "AP8NCi0tgA==", format: "wav" },
      model: "acme/ear",
      language: "en",
      response_format: "verbose_json",
      temperature: 0.5,
      timestamp_granularities: ["word", "segment"],
      provider: { order: ["one"] },
      session_id: "s1",
      trace: { trace_id: "t1", mine: 1 },
      user: "u1",
    });
  });

  test("has no field that was not given", async () => {
    const { body } = await asked(REQUEST);
    expect(Object.keys(JSON.parse(body))).toEqual(["input_audio", "model"]);
  });

  test("is a form with the audio as a file", async () => {
    const plain = { ...AUDIO, bytes: Buffer.from("RIFF\r\n--x") };
    const { headers, body } = await asked({ ...FULL, audio: plain, upload: "multipart" });
    const type = headers["content-type"] ?? "";
    expect(type).toMatch(/^multipart\/form-data; boundary=/);
    const form = await new Response(body, { headers: { "content-type": type } }).formData();
    const file = form.get("file");
    if (!(file instanceof File)) throw new Error("There is no file");
    expect([file.name, file.type, await file.text()]).toEqual(["audio.wav", "audio/wav", "RIFF\r\n--x"]);
    form.delete("file");
    expect([...form]).toEqual([
      ["model", "acme/ear"],
      ["language", "en"],
      ["response_format", "verbose_json"],
      ["temperature", "0.5"],
      ["timestamp_granularities[]", "word"],
      ["timestamp_granularities[]", "segment"],
      ["provider", '{"order":["one"]}'],
      ["session_id", "s1"],
      ["trace", '{"trace_id":"t1","mine":1}'],
      ["user", "u1"],
    ]);
  });
});

describe("transcribe: bounds, checked before anything is sent", () => {
  test.each<[string, Partial<TranscriptionRequest>, string]>([
    ["no audio", { audio: { ...AUDIO, bytes: new Uint8Array() } }, "audio.bytes: is empty"],
    ["no format", { audio: { ...AUDIO, format: "" } }, "audio.format: is not the name of an audio format"],
    ["a model without a provider", { model: "ear" }, "model: is not of the form provider/model"],
    ["a model with a space", { model: "acme/my ear" }, "model: is not of the form provider/model"],
    ["a language by name", { language: "english" }, "language: is not an ISO 639-1 code"],
    ["a session of 257 characters", { sessionId: "s".repeat(257) }, "sessionId: has at most 256 characters"],
    ["a user of 257 characters", { user: "😀".repeat(257) }, "user: has at most 256 characters"],
    [
      "a temperature that is none",
      { temperature: Number.NaN },
      "temperature: Invalid input: expected number, received NaN",
    ],
    [
      "several",
      { model: "", language: "" },
      "model: is not of the form provider/model; language: is not an ISO 639-1 code",
    ],
  ])("%s", async (_, change, problem) => {
    const server = await startScriptedServer(answering(200, { text: "" }));
    const { http } = createClient({ baseUrl: server.url });
    const sent = transcribe(http, CALL, { ...REQUEST, ...change }, NEVER);
    await expect(sent).rejects.toThrow(new RangeError(`Cannot ask for a transcription: ${problem}`));
    expect(server.requests).toEqual([]);
  });

  test("256 characters are within, whatever they are made of", async () => {
    const { body } = await asked({ ...REQUEST, sessionId: "😀".repeat(256), user: "u".repeat(256) });
    expect(JSON.parse(body)).toMatchObject({ session_id: "😀".repeat(256), user: "u".repeat(256) });
  });
});

async function failureOf(step: Step, timeoutMs = 5000): Promise<{ error: unknown; requests: number }> {
  const server = await startScriptedServer(step, answering(200, { text: "Hello" }));
  const { http } = createClient({ baseUrl: server.url, timeoutMs: 60_000, deadlineMs: 120_000 });
  const error: unknown = await transcribe(http, { ...CALL, timeoutMs }, REQUEST, NEVER).then(
    () => "no failure",
    (failure: unknown) => failure,
  );
  return { error, requests: server.requests.length };
}

describe("transcribe: a failure is never sent again", () => {
  test.each(TRANSCRIPTION_FAILURES)("%i is %s", async (status, kind) => {
    const body = { error: { code: status, message: "No" } };
    const { error, requests } = await failureOf(answering(status, body, { "retry-after": "1" }));
    expect(error).toMatchObject({
      kind,
      status,
      message: `Cannot transcribe with probe "short": gateway answered ${status}: No`,
    });
    expect(requests).toBe(1);
  });

  test.each<[string, Step, FailureReason]>([
    ["a body that is no JSON", answering(200, "<html>"), "bad_response"],
    ["a body without text", answering(200, { usage: { cost: 1 } }), "bad_response"],
    ["an error with status 200", answering(200, { error: { message: "No" } }), "bad_response"],
    ["a connection that breaks", (response) => void response.destroy(), "network"],
  ])("%s", async (_, step, kind) => {
    const { error, requests } = await failureOf(step);
    expect(error).toMatchObject({ kind });
    expect(requests).toBe(1);
  });

  test("no answer within the time of the call, whatever that of the configuration is", async () => {
    const { error, requests } = await failureOf(() => {}, 100);
    expect(error).toMatchObject({
      kind: "timeout",
      message: 'Cannot transcribe with probe "short": no complete answer within 100 ms',
    });
    expect(requests).toBe(1);
  });

  test("an answer may take longer than the configuration's time-out", async () => {
    const server = await startScriptedServer(
      (response) => void setTimeout(() => response.end('{"text":"Late"}'), 300),
    );
    const { http } = createClient({ baseUrl: server.url, timeoutMs: 100, deadlineMs: 100 });
    expect(await transcribe(http, CALL, REQUEST, NEVER)).toMatchObject({ text: "Late" });
  });
});

describe("parseTranscription", () => {
  const NOTHING = {
    text: "Hi",
    usage: {},
    confidence: undefined,
    durationSeconds: undefined,
    language: undefined,
    task: undefined,
    segments: undefined,
    words: undefined,
  };
  test.each<[string, object, object]>([
    ["text alone", {}, {}],
    [
      "all that the contract names",
      {
        usage: { cost: 0.0005, input_tokens: 42, output_tokens: 24, seconds: 4.1, total_tokens: 66 },
        confidence: 0.97,
        duration: 4.104,
        language: "english",
        task: "transcribe",
        segments: [{ id: 0 }],
        words: [{ word: "Hi" }],
      },
      {
        usage: { costCredits: 0.0005, inputTokens: 42, outputTokens: 24, seconds: 4.1, totalTokens: 66 },
        confidence: 0.97,
        durationSeconds: 4.104,
        language: "english",
        task: "transcribe",
        segments: [{ id: 0 }],
        words: [{ word: "Hi" }],
      },
    ],
    [
      "numbers as texts",
      { usage: { cost: "0.25", seconds: "3" }, duration: "3.5", confidence: "1" },
      { usage: { costCredits: 0.25, seconds: 3 }, durationSeconds: 3.5, confidence: 1 },
    ],
    ["free of charge", { usage: { cost: 0 } }, { usage: { costCredits: 0 } }],
    ["nulls", { usage: null, duration: null, language: null, confidence: null, words: null }, {}],
    ["a usage of another shape", { usage: [0.1] }, {}],
    ["amounts that make no sense", { usage: { cost: -1, seconds: -2 }, duration: -3, confidence: 97 }, {}],
    ["a negative cost as a text", { usage: { cost: "-0.5" } }, {}],
    ["a cost beyond all numbers", { usage: { cost: "1e999" } }, {}],
    ["no number at all", { usage: { cost: "NaN", seconds: "Infinity" }, confidence: "NaN" }, {}],
    ["a cost that is no number", { usage: { cost: "much", seconds: 3 } }, { usage: { seconds: 3 } }],
    ["fields of other types", { language: 7, task: {}, segments: "none", words: {} }, {}],
    ["more fields", { model: "acme/ear", x: 1 }, {}],
  ])("%s", (_, fields, read) => {
    expect(parseTranscription({ text: "Hi", ...fields }, "ask")).toEqual({ ...NOTHING, ...read });
  });

  test("an empty text is one", () => {
    expect(parseTranscription({ text: "" }, "ask").text).toBe("");
  });
});
