import { describe, expect, test } from "vitest";
import { probeOnce } from "../../../exporter/cli/probe.ts";
import type { ProbeConfig, ProbingConfig } from "../../../exporter/config/config.ts";
import type { KeyInformation } from "../../../exporter/gateway/key-information.ts";
import { createManualClock } from "../../support/clock.ts";
import { secretSource } from "../../support/test-config.ts";
import { NO_ANSWERS } from "../../support/fake-client.ts";

type ProbeGateway = Parameters<typeof probeOnce>[2];

describe("probeOnce()", () => {
  test("runs the probe and reports its result", async () => {
    const { gateway, requests } = createGatewayDouble({ day: { ears: 0, others: 0 } });
    const { ok, text } = await probeOnce(SHORT, GUARD, gateway, createManualClock());
    expect(ok).toBe(true);
    expect(requests).toEqual(["key ears", "key others", "transcription short"]);
    expect(lineOf(text, "probe")).toBe('short: acme/ear, paid by key "ears"');
    expect(lineOf(text, "result")).toBe("success");
    expect(lineOf(text, "heard")).toBe("One two three four.");
    expect(lineOf(text, "cost")).toBe("0.01 credits");
  });

  test("is not ok when the transcript differs", async () => {
    const { gateway } = createGatewayDouble({ day: { ears: 0, others: 0 }, heard: "five six" });
    const { ok, text } = await probeOnce(SHORT, GUARD, gateway, createManualClock());
    expect(ok).toBe(false);
    expect(lineOf(text, "result")).toMatch(/^failed, wrong_text: /);
  });

  test.each<[string, Record<string, number | undefined>, string]>([
    ["might exceed the ceiling", { ears: 0.5, others: 0.45 }, "0.95 credits are spent today, and with 0.1 "],
    ["might exceed the ceiling despite a refund", { ears: -5, others: 0.95 }, "0.95 credits are spent today"],
    [
      "has a payer with unknown spend",
      { ears: 0.1, others: undefined },
      "the gateway does not report today's usage",
    ],
    ["has an unreadable payer", { ears: 0.1 }, "the spend of the day is unknown: no key others"],
  ])("refuses a probe that %s, and sends nothing", async (_, day, reason) => {
    const { gateway, requests } = createGatewayDouble({ day });
    const { ok, text } = await probeOnce(SHORT, GUARD, gateway, createManualClock());
    expect(ok).toBe(false);
    expect(text).toContain(`Probe "short" is not run: ${reason}`);
    expect(text).toMatch(/; use --force to run it anyway\n$/);
    expect(requests).not.toContain("transcription short");
  });

  test("runs the probe if its maximum cost just fits below the ceiling", async () => {
    const { gateway } = createGatewayDouble({ day: { ears: 0.7, others: 0.2 } });
    expect((await probeOnce(SHORT, GUARD, gateway, createManualClock())).ok).toBe(true);
  });

  test("does not request the spend without a guard", async () => {
    const { gateway, requests } = createGatewayDouble({ day: {} });
    expect((await probeOnce(SHORT, undefined, gateway, createManualClock())).ok).toBe(true);
    expect(requests).toEqual(["transcription short"]);
  });

  test("sends nothing if the audio is missing", async () => {
    const { gateway, requests } = createGatewayDouble({ day: {} });
    const { ok, text } = await probeOnce(
      { ...SHORT, audio: NO_AUDIO },
      undefined,
      gateway,
      createManualClock(),
    );
    expect([ok, requests]).toEqual([false, []]);
    expect(lineOf(text, "result")).toBe(
      'failed, bad_request: Cannot run probe "short": file "/a.wav" does not exist',
    );
    expect(lineOf(text, "cost")).toBe("nothing: no request was sent");
  });
});

const SHORT: ProbeConfig = {
  name: "short",
  key: "ears",
  secret: secretSource("sk-ears"),
  model: "acme/ear",
  audio: {
    origin: "the test",
    format: "wav",
    read: () => Promise.resolve({ bytes: Buffer.from("RIFF"), fault: undefined }),
  },
  expectedText: "one two three four",
  maxWordErrorRate: 0.25,
  expectedLanguage: undefined,
  responseFormat: "json",
  upload: "json",
  schedule: { kind: "interval", ms: 60_000 },
  timeoutMs: 60_000,
};

const NO_AUDIO: ProbeConfig["audio"] = {
  ...SHORT.audio,
  read: () => Promise.resolve({ bytes: undefined, fault: 'file "/a.wav" does not exist' }),
};

const GUARD: ProbingConfig = {
  probes: [SHORT, { ...SHORT, name: "other", key: "others" }],
  ceilingCredits: 1,
  maxCostCredits: 0.1,
};

const NO_SPEND = { total: undefined, day: undefined, week: undefined, month: undefined };

const KEY: KeyInformation = {
  label: undefined,
  limitCredits: undefined,
  limitReset: undefined,
  remainingCredits: undefined,
  byokInLimit: undefined,
  usage: NO_SPEND,
  byokUsage: NO_SPEND,
  freeTier: undefined,
  expiresAtMs: undefined,
  freeRequests: { limit: undefined, used: undefined, remaining: undefined },
};

const TRANSCRIPTION = {
  text: "",
  usage: {
    costCredits: 0.01,
    inputTokens: undefined,
    outputTokens: undefined,
    totalTokens: undefined,
    seconds: undefined,
  },
  confidence: undefined,
  durationSeconds: undefined,
  language: undefined,
};

/** `day`: today's usage of each key. A missing key is unreadable. */
function createGatewayDouble({
  day,
  heard = "One two three four.",
}: {
  readonly day: Readonly<Record<string, number | undefined>>;
  readonly heard?: string;
}) {
  const requests: string[] = [];
  const gateway: ProbeGateway = {
    clientFor: ({ name, endpoint }) => ({
      ...NO_ANSWERS,
      currentKey: async () => {
        requests.push(`${endpoint} ${name}`);
        if (!Object.hasOwn(day, name)) throw new Error(`no key ${name}`);
        return { ...KEY, usage: { ...KEY.usage, day: day[name] } };
      },
      transcribe: async () => {
        requests.push(`${endpoint} ${name}`);
        return { ...TRANSCRIPTION, text: heard };
      },
    }),
  };
  return { gateway, requests };
}

function lineOf(text: string, name: string): string | undefined {
  return text
    .split("\n")
    .find((line) => line.startsWith(`${name} `))
    ?.slice(13);
}
