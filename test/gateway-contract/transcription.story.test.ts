import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createGateway } from "../gateway/gateway.ts";
import { sample } from "../gateway/transcription/recordings.ts";
import { ask, keyData, sampleAudio, sampleText, transcribe } from "./client.ts";

const noon = Date.parse("2026-11-18T12:00:10Z");
let now = noon;
const gateway = createGateway({ now: () => now });
beforeAll(async () => {
  await gateway.start();
  gateway.addKey({ name: "probe" });
});
afterAll(() => gateway.stop());
afterEach(() => {
  now = noon;
  gateway.manners.reset();
});

const model = "acme/ears";
const input_audio = { data: sampleAudio.toString("base64"), format: "mp3" };
const small = { data: "UklGRg==", format: "wav" };
const verbose = { response_format: "verbose_json" };
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

  test("to verbose_json contains all fields of the contract", async () => {
    const rest = { task: "transcribe", language: "en", duration: 4.104, segments, confidence: 0.97, usage };
    expect(await said(verbose)).toEqual({ text: sampleText, ...rest });
  });
});

test("the books contain every detail of a call", async () => {
  gateway.manners.change({ latencyMs: 1 });
  await said(verbose);
  expect(gateway.books.transcriptions().at(-1)).toEqual({
    at: noon,
    requestId: `sim-transcription-${gateway.books.transcriptions().length}`,
    key: "probe",
    model,
    upload: "json",
    format: "mp3",
    sha256: sample.sha256,
    responseFormat: "verbose_json",
    language: "en",
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

describe("a form", () => {
  test.each([["json"], ["verbose_json"]])("with the format %s is read like JSON", async (format) => {
    const form = new FormData();
    form.append("model", model);
    form.append("file", new Blob([sampleAudio]), "sample.mp3");
    form.append("response_format", format);
    const { status } = await transcribe(gateway, "probe", form);
    const record = gateway.books.transcriptions().at(-1);
    expect([status, record?.upload, record?.responseFormat]).toEqual([200, "multipart", format]);
  });
});

describe("an invalid request is a 400 that names the field, and is not charged", () => {
  test.each<[unknown, string]>([
    ["{", 'Malformed "body"'],
    [[], "body"],
    [{ model }, "input_audio"],
    [{ model, input_audio: null }, "input_audio"],
    [{ model, input_audio: { format: "wav" } }, "input_audio.data"],
    [{ model, input_audio: { ...small, data: "" } }, "input_audio.data"],
    [{ model, input_audio: { ...small, data: "not base64!" } }, "input_audio.data"],
    [{ model, input_audio: { ...small, data: "data:audio/wav;base64,UklGRg==" } }, "input_audio.data"],
    [{ model, input_audio: { data: "UklGRg==" } }, "input_audio.format"],
    [{ model, input_audio: { ...small, format: ".mp3" } }, "input_audio.format"],
    [{ model, input_audio: { ...small, url: "x" } }, 'Unknown field "url" in "input_audio"'],
    [{ input_audio: small }, "model"],
    [{ input_audio: small, model: "ears" }, "model"],
    ...["text", "JSON", null].map((format): [unknown, string] => [
      { input_audio: small, model, response_format: format },
      '"response_format"',
    ]),
    [{ input_audio: small, model, stream: false }, 'Unknown field "stream" in "body"'],
  ])("JSON %j: %s", async (body, text) => {
    const before = gateway.books.key("probe").micros.usage.total;
    const answer = await transcribe(gateway, "probe", body);
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      400,
      { error: { code: 400, message: expect.stringContaining(text) } },
    ]);
    expect(gateway.books.key("probe").micros.usage.total).toBe(before);
  });
});

const call = (key: string, wanted = model) => transcribe(gateway, key, { input_audio: small, model: wanted });

describe("a transcription is charged", () => {
  test("to its key and model, without an app, in books and answers", async () => {
    gateway.addKey({ name: "charged", limitMicros: 1000, limitReset: "daily" });
    gateway.manners.change({ micros: 123 }, model);
    gateway.manners.change({ micros: 77, latencyMs: 5 }, "acme/other");
    await call("charged");
    await call("charged");
    await call("charged", "acme/other");
    expect(await keyData(gateway, "charged")).toMatchObject({
      usage: 0.000323,
      usage_daily: 0.000323,
      limit_remaining: 0.000677,
    });
    const metrics = ["total_usage", "request_count", "tokens_prompt", "tokens_completion", "avg_latency"];
    const filters = [{ field: "api_key_id", operator: "eq", value: gateway.world.key("charged").id }];
    const order_by = { field: "model", direction: "asc" };
    const { data } = await ask(gateway, { metrics, dimensions: ["model", "app"], filters, order_by });
    const tokens = { tokens_prompt: 50, tokens_completion: 28 };
    expect(data).toEqual([
      { model, app: null, total_usage: 0.000246, request_count: 2, ...tokens, avg_latency: 0 },
      {
        model: "acme/other",
        app: null,
        total_usage: 0.000077,
        request_count: 1,
        tokens_prompt: 25,
        tokens_completion: 14,
        avg_latency: 5,
      },
    ]);
    const records = gateway.books.transcriptions().filter(({ key }) => key === "charged");
    expect(records.map(({ cost }) => cost)).toEqual([0.000123, 0.000123, 0.000077]);
  });
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
