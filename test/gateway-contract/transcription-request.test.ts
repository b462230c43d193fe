import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createGateway } from "../gateway/gateway.ts";
import { type Received, sampleAudio, transcribe } from "./client.ts";

const noon = Date.parse("2026-11-18T12:00:10Z");
const gateway = createGateway({ now: () => noon });
beforeAll(async () => {
  await gateway.start();
  gateway.addKey({ name: "probe" });
});
afterAll(() => gateway.stop());

const model = "acme/ears";
const input_audio = { data: sampleAudio.toString("base64"), format: "mp3" };
const small = { data: "UklGRg==", format: "wav" };
const long = "x".repeat(256);
// A character outside the Basic Multilingual Plane counts as one character.
const longInScript = "𝔵".repeat(256);

type Fields = Readonly<Record<string, unknown>>;

/** One field of both forms: its JSON, its text in the form, and its value in the books. */
const good: readonly [Fields, readonly (readonly [string, string])[], Fields][] = [
  [{}, [], { responseFormat: "json", language: "en", isLanguageForced: false, temperature: null }],
  [{ language: "de" }, [["language", "de"]], { language: "de", isLanguageForced: true }],
  [{ response_format: "json" }, [["response_format", "json"]], { responseFormat: "json" }],
  [
    { response_format: "verbose_json" },
    [["response_format", "verbose_json"]],
    { responseFormat: "verbose_json" },
  ],
  [{ temperature: 0.25 }, [["temperature", "0.25"]], { temperature: 0.25 }],
  [{ temperature: 0 }, [["temperature", "0"]], { temperature: 0 }],
  [
    { timestamp_granularities: ["word", "segment"] },
    [
      ["timestamp_granularities[]", "word"],
      ["timestamp_granularities[]", "segment"],
    ],
    { granularities: ["word", "segment"] },
  ],
  [
    { timestamp_granularities: ["segment"] },
    [["timestamp_granularities", "segment"]],
    { granularities: ["segment"] },
  ],
  [
    { provider: { order: ["north"], deep: { a: 1 } } },
    [["provider", '{"order":["north"],"deep":{"a":1}}']],
    { provider: { order: ["north"], deep: { a: 1 } } },
  ],
  [{ session_id: long }, [["session_id", long]], { sessionId: long }],
  [{ session_id: longInScript }, [["session_id", longInScript]], { sessionId: longInScript }],
  [
    { trace: { trace_id: "t", mine: [1] } },
    [["trace", '{"trace_id":"t","mine":[1]}']],
    { trace: { trace_id: "t", mine: [1] } },
  ],
  [{ user: long }, [["user", long]], { user: long }],
];

describe("a valid request is parsed completely", () => {
  test.each(good)("as JSON: %j", async (fields, _texts, read) => {
    const answer = await transcribe(gateway, "probe", { input_audio, model, ...fields });
    expect([answer.status, lastRecord()]).toEqual([
      200,
      expect.objectContaining({ upload: "json", ...read }),
    ]);
  });

  test.each(good)("as a form: %j", async (_fields, texts, read) => {
    const answer = await transcribe(gateway, "probe", formOf(texts));
    expect([answer.status, lastRecord()]).toEqual([
      200,
      expect.objectContaining({ upload: "multipart", ...read }),
    ]);
  });

  test("both forms transcribe the same bytes to the same text", async () => {
    await transcribe(gateway, "probe", { input_audio, model });
    const json = lastRecord();
    await transcribe(gateway, "probe", formOf([]));
    const form = lastRecord();
    expect([form?.sha256, form?.text]).toEqual([json?.sha256, json?.text]);
    expect(form?.sha256).toMatch(/^69998249/u);
  });

  test.each(["wav", "mp3", "flac", "m4a", "mp4", "ogg", "webm", "aac"])(
    "the format %s is accepted",
    async (format) => {
      await transcribe(gateway, "probe", { input_audio: { ...input_audio, format }, model });
      expect(lastRecord()).toMatchObject({ upload: "json", format });
      await transcribe(gateway, "probe", formOf([], `a "b".${format.toUpperCase()}`));
      expect(lastRecord()).toMatchObject({ upload: "multipart", format });
    },
  );
});

describe("x-session-id", () => {
  test.each<[Fields, string | undefined, string | null]>([
    [{}, undefined, null],
    [{}, "of-the-header", "of-the-header"],
    [{ session_id: "of-the-body" }, "of-the-header", "of-the-body"],
    [{ session_id: "of-the-body" }, "y".repeat(257), "of-the-body"],
  ])("body %j, header %j: session %j", async (fields, header, session) => {
    const headers: Record<string, string> = header === undefined ? {} : { "x-session-id": header };
    await transcribe(gateway, "probe", { input_audio, model, ...fields }, headers);
    expect(lastRecord()?.sessionId).toBe(session);
  });

  test("has the same length limit as the body's field", async () => {
    const sent = transcribe(gateway, "probe", { input_audio, model }, { "x-session-id": `${long}x` });
    const message = 'Invalid "x-session-id": expected at most 256 characters, got 257';
    expect(await refusalOf(sent)).toEqual([400, message, 0]);
  });
});

describe("an invalid request is a 400 that names the field, and is not charged", () => {
  test.each<[unknown, string]>([
    ["{", 'Malformed "body"'],
    [[], "body"],
    [{ model }, "input_audio"],
    [{ model, input_audio: null }, "input_audio"],
    [{ model, input_audio: "UklGRg==" }, "input_audio"],
    [{ model, input_audio: { format: "wav" } }, "input_audio.data"],
    [{ model, input_audio: { ...small, data: "" } }, "input_audio.data"],
    [{ model, input_audio: { ...small, data: "not base64!" } }, "input_audio.data"],
    [{ model, input_audio: { ...small, data: "UklGRg" } }, "input_audio.data"],
    [{ model, input_audio: { ...small, data: "_-__" } }, "input_audio.data"],
    [{ model, input_audio: { ...small, data: "data:audio/wav;base64,UklGRg==" } }, "input_audio.data"],
    [{ model, input_audio: { data: "UklGRg==" } }, "input_audio.format"],
    [{ model, input_audio: { ...small, format: ".mp3" } }, "input_audio.format"],
    [{ model, input_audio: { ...small, url: "x" } }, 'Unknown field "url" in "input_audio"'],
    [{ input_audio: small }, "model"],
    [{ input_audio: small, model: "ears" }, "model"],
    [{ input_audio: small, model: "acme/" }, "model"],
    [{ input_audio: small, model: "acme/ears/two" }, "model"],
    [{ input_audio: small, model: 7 }, "model"],
    ...wrongFields({ language: ["english", "EN", "eng", "", null, 1] }),
    ...wrongFields({ response_format: ["text", "srt", "JSON", null] }),
    ...wrongFields({ temperature: ["0", null, [0]] }),
    ...wrongFields({ timestamp_granularities: ["word", null, { word: true }] }),
    [{ input_audio: small, model, timestamp_granularities: ["word", "char"] }, "timestamp_granularities[1]"],
    ...wrongFields({ provider: ["north", null, []] }),
    ...wrongFields({ session_id: [`${long}x`, `${longInScript}𝔵`, null, 5] }),
    ...wrongFields({ user: [`${long}x`, null, 5] }),
    ...wrongFields({ trace: ["t", null, []] }),
    [{ input_audio: small, model, trace: { trace_id: 5 } }, "trace.trace_id"],
    [{ input_audio: small, model, trace: { parent_span_id: null } }, "trace.parent_span_id"],
    [{ input_audio: small, model, stream: false }, 'Unknown field "stream" in "body"'],
  ])("JSON %j: %s", async (body, text) => {
    expect(await refusalOf(transcribe(gateway, "probe", body))).toEqual([
      400,
      expect.stringContaining(text),
      0,
    ]);
  });

  test.each<[string, FormData, string]>([
    ["no file", formOf([], null), '"file": expected one part, got 0'],
    ["two files", twoFiles(), '"file": expected one part, got 2'],
    ["an empty file", emptyFile(), '"file": expected audio, got 0 bytes'],
    ["a file without an extension", formOf([], "audio"), "file"],
    ["another extension", formOf([], "audio.txt"), "file"],
    ["the model as a file", modelAsFile(), "model"],
    ["two languages", twoLanguages(), '"language": expected one part, got 2'],
    ["a wrong language", formOf([["language", "english"]]), "language"],
    ["a temperature that is not a number", formOf([["temperature", "warm"]]), "temperature"],
    ["no temperature", formOf([["temperature", ""]]), "temperature"],
    ["a wrong granularity", formOf([["timestamp_granularities[]", "char"]]), "timestamp_granularities[0]"],
    ["a provider that is not JSON", formOf([["provider", "north"]]), 'Malformed "provider"'],
    ["a trace that is not an object", formOf([["trace", "[]"]]), "trace"],
    ["a long session", formOf([["session_id", `${long}x`]]), "session_id"],
    ["a long user", formOf([["user", `${long}x`]]), "user"],
    ["an unknown field", formOf([["stream", "false"]]), 'Unknown field "stream" in "form"'],
    ["the JSON form's field", formOf([["input_audio", "{}"]]), 'Unknown field "input_audio"'],
  ])("form with %s: %s", async (_name, form, text) => {
    expect(await refusalOf(transcribe(gateway, "probe", form))).toEqual([
      400,
      expect.stringContaining(text),
      0,
    ]);
  });

  const part = 'Content-Disposition: form-data; name="model"\r\n\r\nacme/ears';
  test.each<[string, string, string]>([
    ["multipart/form-data", `--b\r\n${part}\r\n--b--`, "no boundary"],
    ["multipart/form-data; boundary=b", "", "does not begin"],
    ["multipart/form-data; boundary=b", `--c\r\n${part}\r\n--c--`, "does not begin"],
    ["multipart/form-data; boundary=b", `--b\r\n${part}\r\n`, "last boundary is missing"],
    ["multipart/form-data; boundary=b", `--bc\r\n${part}\r\n--bc--`, "neither a line break"],
    ["multipart/form-data; boundary=b", "--b\r\nnothing\r\n--b--", "no empty line"],
    ["multipart/form-data; boundary=b", "--b\r\nX-A: 1\r\n\r\nx\r\n--b--", "no name"],
    ["multipart/form-data; boundary=b", `--b\r\n${part}\r\n--b--`, '"file": expected one part, got 0'],
    [
      'multipart/form-data; charset=x; boundary="b c"',
      `--b c\r\n${part}\r\n--b c--\r\n`,
      '"file": expected one part, got 0',
    ],
    ["text/plain", "{}", "Content-Type"],
    ["application/x-www-form-urlencoded", "model=acme/ears", "Content-Type"],
    ["application/jsonp", "{}", "Content-Type"],
  ])("%s with %j: %s", async (contentType, body, text) => {
    expect(await refusalOf(transcribe(gateway, "probe", body, { "content-type": contentType }))).toEqual([
      400,
      expect.stringContaining(text),
      0,
    ]);
  });
});

test("the content type of JSON may include a charset", async () => {
  const headers = { "content-type": "Application/JSON; charset=utf-8" };
  expect((await transcribe(gateway, "probe", { input_audio, model }, headers)).status).toBe(200);
});

test("a request beyond the size limit is a 413, and a request at the limit is not", async () => {
  const body = JSON.stringify({ input_audio, model });
  gateway.switches.transcriptionBytes = body.length;
  expect((await transcribe(gateway, "probe", body)).status).toBe(200);
  gateway.switches.transcriptionBytes = body.length - 1;
  const answer = await transcribe(gateway, "probe", body);
  expect([answer.status, JSON.parse(answer.text)]).toEqual([
    413,
    { error: { code: 413, message: "Request payload too large" } },
  ]);
  gateway.switches.transcriptionBytes = 25_000_000;
});

/** Status, message, and the amount charged to the key. */
async function refusalOf(sent: Promise<Received>): Promise<[number, unknown, number]> {
  const before = chargedMicros();
  const answer = await sent;
  const body: { error: { code: number; message: string } } = JSON.parse(answer.text);
  expect(body).toEqual({ error: { code: answer.status, message: expect.any(String) } });
  return [answer.status, body.error.message, chargedMicros() - before];
}

function chargedMicros(): number {
  return gateway.books.key("probe").micros.usage.total;
}

function lastRecord() {
  return gateway.books.transcriptions().at(-1);
}

function wrongFields(values: Readonly<Record<string, readonly unknown[]>>): [unknown, string][] {
  return Object.entries(values).flatMap(([name, list]) =>
    list.map((value): [unknown, string] => [{ input_audio: small, model, [name]: value }, `"${name}"`]),
  );
}

function formOf(texts: readonly (readonly [string, string])[], fileName: string | null = "sample.mp3") {
  const form = new FormData();
  form.append("model", model);
  if (fileName !== null) form.append("file", new Blob([sampleAudio]), fileName);
  for (const [name, text] of texts) form.append(name, text);
  return form;
}

function twoFiles(): FormData {
  const form = formOf([]);
  form.append("file", new Blob([sampleAudio]), "again.mp3");
  return form;
}

function emptyFile(): FormData {
  const form = formOf([], null);
  form.append("file", new Blob([]), "empty.mp3");
  return form;
}

function modelAsFile(): FormData {
  const form = formOf([]);
  form.set("model", new Blob([model]), "model.txt");
  return form;
}

function twoLanguages(): FormData {
  const form = formOf([["language", "en"]]);
  form.append("language", "de");
  return form;
}
