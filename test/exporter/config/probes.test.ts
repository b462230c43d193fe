import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bundledSample, fileAudio } from "../../../exporter/config/probes/probe-config.ts";
import { systemFiles } from "../../../exporter/secrets/files.ts";
import { loadText } from "../secrets/simulated-files.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const FILE = `
gateway: {base_url: "https://gateway.example/api/v1"}
keys: [{name: ears, api_key_file: /k}]
`;

async function probing(text: string, files: Readonly<Record<string, string>> = {}) {
  const result = await loadText(FILE + text, { files: { "/k": "sk-one", ...files } });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.config.probing;
}

const SPEND = "probe_spend: {max_cost_per_day: 0.5, max_cost_per_probe: 0.02}\n";

describe("probes", () => {
  test("are absent unless configured", async () => {
    expect(await probing("")).toBeUndefined();
    expect(await probing("probes: []\n")).toBeUndefined();
    expect(await probing(SPEND)).toBeUndefined();
  });

  test("have defaults, and the bundled sample", async () => {
    const config = await probing(`${SPEND}probes: [{name: short, key: ears, model: acme/ear}]\n`);
    expect(config).toEqual({
      ceilingCredits: 0.5,
      maxCostCredits: 0.02,
      probes: [
        {
          name: "short",
          key: "ears",
          team: "",
          secret: expect.objectContaining({ origin: 'file "/k"' }),
          model: "acme/ear",
          audio: expect.objectContaining({ format: "mp3" }),
          expectedText: (await bundledSample()).text,
          maxWordErrorRate: 0.2,
          expectedLanguage: undefined,
          responseFormat: "json",
          upload: "json",
          schedule: { kind: "cron", expression: "0 * * * *" },
          timeoutMs: 60_000,
        },
      ],
    });
  });

  test("are read as written", async () => {
    const config = await probing(
      `${SPEND}
probes:
  - { name: long, key: ears, model: "acme/ear:free", audio: hello.OGG, expected_text: Hello, max_word_error_rate: 0,
      expected_language: en, response_format: verbose_json, upload: multipart, schedule: 5m, timeout: 20s }
  - { name: raw, key: ears, model: a/b, audio: /audio/raw, format: wav, expected_text: "" }
`,
      { "/etc/aigateway/hello.OGG": "OggS", "/audio/raw": "RIFF" },
    );
    expect(config?.probes).toMatchObject([
      {
        name: "long",
        model: "acme/ear:free",
        audio: { origin: 'file "/etc/aigateway/hello.OGG"', format: "ogg" },
        expectedText: "Hello",
        maxWordErrorRate: 0,
        expectedLanguage: "en",
        responseFormat: "verbose_json",
        upload: "multipart",
        schedule: { kind: "interval", ms: 300_000 },
        timeoutMs: 20_000,
      },
      { name: "raw", audio: { origin: 'file "/audio/raw"', format: "wav" }, expectedText: "" },
    ]);
  });
});

describe("fileAudio", () => {
  test("is read again for each use, and keeps the last bytes if a read fails", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "a.wav");
    const audio = fileAudio(path, "wav", systemFiles);
    const origin = `file ${JSON.stringify(path)}`;
    expect(await audio.read()).toEqual({ bytes: undefined, fault: `${origin} does not exist` });
    await writeFile(path, "one");
    expect(await audio.read()).toEqual({ bytes: Buffer.from("one"), fault: undefined });
    await writeFile(path, "two");
    expect(await audio.read()).toEqual({ bytes: Buffer.from("two"), fault: undefined });
    await rm(path);
    expect(await audio.read()).toEqual({ bytes: Buffer.from("two"), fault: `${origin} does not exist` });
  });
});
