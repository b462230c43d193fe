import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { FailureReason } from "../../../../exporter/gateway/errors.ts";
import type { Transcription, TranscriptionRequest } from "../../../../exporter/gateway/port.ts";
import { parseTranscription } from "../../../../exporter/gateway/wire/transcription.ts";
import { createClient, PLANTED, TRANSCRIPTION_FAILURES } from "../../../support/gateway-client.ts";
import { secretSource } from "../../../support/test-config.ts";
import {
  answering,
  type SeenRequest,
  startScriptedServer,
  type Step,
} from "../../../support/scripted-server.ts";
import { startSimulatedGateway } from "../../../support/simulated-gateway.ts";

const AUDIO = { bytes: Buffer.from([0, 255, 13, 10, 45, 45, 128]), format: "wav" };
const REQUEST: TranscriptionRequest = {
  audio: AUDIO,
  model: "acme/ear",
  responseFormat: "verbose_json",
  upload: "json",
};

type Client = ReturnType<typeof createClient>;

function transcribe({ clientFor }: Client, request = REQUEST, timeoutMs = 5000): Promise<Transcription> {
  const client = clientFor({ endpoint: "transcription", name: "short" });
  return client.transcribe(request, secretSource(PLANTED), timeoutMs);
}

async function asked(request: TranscriptionRequest): Promise<SeenRequest> {
  const server = await startScriptedServer(answering(200, { text: "Hello" }));
  expect(await transcribe(createClient({ baseUrl: server.url }), request)).toMatchObject({ text: "Hello" });
  expect(server.requests).toHaveLength(1);
  const [seen] = server.requests;
  if (!seen) throw new Error("Nothing was requested");
  return seen;
}

describe("transcribe: the request", () => {
  test("is JSON with the audio in base64", async () => {
    const { method, path, headers, body } = await asked(REQUEST);
    expect([method, path]).toEqual(["POST", "/audio/transcriptions"]);
    expect(headers).toMatchObject({ "content-type": "application/json", authorization: `Bearer ${PLANTED}` });
    expect(JSON.parse(body)).toEqual({
      input_audio: { data: "AP8NCi0tgA==", format: "wav" },
      model: "acme/ear",
      response_format: "verbose_json",
    });
  });

  test("is a form with the audio as a file", async () => {
    const plain = { ...AUDIO, bytes: Buffer.from("RIFF\r\n--x") };
    const { headers, body } = await asked({ ...REQUEST, audio: plain, upload: "multipart" });
    const type = headers["content-type"] ?? "";
    expect(type).toMatch(/^multipart\/form-data; boundary=/);
    const boundary = type.replace(/^.*boundary=/, "");
    expect(body.split("\r\n")).toEqual([
      `--${boundary}`,
      'Content-Disposition: form-data; name="file"; filename="audio.wav"',
      "Content-Type: audio/wav",
      "",
      "RIFF",
      "--x",
      `--${boundary}`,
      'Content-Disposition: form-data; name="model"',
      "",
      "acme/ear",
      `--${boundary}`,
      'Content-Disposition: form-data; name="response_format"',
      "",
      "verbose_json",
      `--${boundary}--`,
      "",
    ]);
  });
});

describe("transcribe: bounds, checked before anything is sent", () => {
  test.each<[string, Partial<TranscriptionRequest>, string]>([
    ["no audio", { audio: { ...AUDIO, bytes: new Uint8Array() } }, "audio.bytes: is empty"],
    ["a model without a provider", { model: "ear" }, "model: is not of the form provider/model"],
    [
      "several",
      { model: "", audio: { ...AUDIO, format: "a b" } },
      "audio.format: is not the name of an audio format; model: is not of the form provider/model",
    ],
  ])("%s", async (_, change, problem) => {
    const server = await startScriptedServer(answering(200, { text: "" }));
    const sent = transcribe(createClient({ baseUrl: server.url }), { ...REQUEST, ...change });
    await expect(sent).rejects.toThrow(new RangeError(`Cannot request a transcription: ${problem}`));
    expect(server.requests).toEqual([]);
  });
});

async function failureOf(step: Step, timeoutMs = 5000): Promise<{ error: unknown; requests: number }> {
  const server = await startScriptedServer(step, answering(200, { text: "Hello" }));
  const client = createClient({ baseUrl: server.url, timeoutMs: 60_000, deadlineMs: 120_000 });
  const error: unknown = await transcribe(client, REQUEST, timeoutMs).then(
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
    ["a body that is not JSON", answering(200, "<html>"), "bad_response"],
    ["a body without text", answering(200, { usage: { cost: 1 } }), "bad_response"],
    ["an error with status 200", answering(200, { error: { message: "No" } }), "bad_response"],
  ])("%s", async (_, step, kind) => {
    const { error, requests } = await failureOf(step);
    expect(error).toMatchObject({ kind });
    expect(requests).toBe(1);
  });

  test("no answer within the limit of the call, whatever the configured timeout", async () => {
    const { error, requests } = await failureOf(() => {}, 100);
    expect(error).toMatchObject({
      kind: "timeout",
      message: 'Cannot transcribe with probe "short": no complete answer within 100 ms',
    });
    expect(requests).toBe(1);
  });
});

describe("parseTranscription", () => {
  const NOTHING = {
    text: "Hi",
    usage: {},
    confidence: undefined,
    durationSeconds: undefined,
    language: undefined,
  };
  test.each<[string, object, object]>([
    ["only text", {}, {}],
    [
      "every field that is read",
      {
        usage: { cost: 0.0005, input_tokens: 42, output_tokens: 24, seconds: 4.1, total_tokens: 66 },
        confidence: 0.97,
        duration: 4.104,
        language: "english",
      },
      {
        usage: { costCredits: 0.0005, inputTokens: 42, outputTokens: 24, seconds: 4.1, totalTokens: 66 },
        confidence: 0.97,
        durationSeconds: 4.104,
        language: "english",
      },
    ],
    [
      "numbers as strings",
      { usage: { cost: "0.25", seconds: "3" }, duration: "3.5", confidence: "1" },
      { usage: { costCredits: 0.25, seconds: 3 }, durationSeconds: 3.5, confidence: 1 },
    ],
    ["impossible amounts", { usage: { cost: -1, seconds: -2 }, duration: -3, confidence: 97 }, {}],
    ["a cost that is not a number", { usage: { cost: "much", seconds: 3 } }, { usage: { seconds: 3 } }],
    ["more fields", { model: "acme/ear", task: "transcribe", words: [], x: 1 }, {}],
  ])("%s", (_, fields, read) => {
    expect(parseTranscription({ text: "Hi", ...fields }, "ask")).toEqual({ ...NOTHING, ...read });
  });
});

describe("transcribe: a simulated service", () => {
  test.each(["json", "multipart"] as const)(
    "reads the same recording from an upload as %s",
    async (upload) => {
      const gateway = await startSimulatedGateway();
      const secret = secretSource(gateway.addKey({ name: "probe" }));
      const { clientFor } = createClient({ baseUrl: gateway.url });
      const client = clientFor({ endpoint: "transcription", name: "short" });
      const answer = await client.transcribe({ ...REQUEST, upload }, secret, 5000);
      expect(answer).toMatchObject({ text: expect.any(String), usage: { costCredits: expect.any(Number) } });
      expect(gateway.books.transcriptions().at(-1)).toMatchObject({
        upload,
        format: "wav",
        responseFormat: "verbose_json",
        sha256: createHash("sha256").update(AUDIO.bytes).digest("hex"),
      });
    },
  );
});
