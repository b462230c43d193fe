import { test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import type { ConfigFileInput } from "../../exporter/config/schema.ts";
import { createGateway } from "../gateway/gateway.ts";
import { writeExporterFiles } from "../support/exporter-files.ts";
import { runExporter } from "../support/exporter-process.ts";

const AGENT = `aigateway-exporter/${packageJson.version}`;
const SPEND = { max_cost_per_day: 1, max_cost_per_probe: 0.01 };

type OnFinished = (run: () => Promise<void> | void) => void;

async function start(onTestFinished: OnFinished) {
  const gateway = createGateway();
  await gateway.start();
  onTestFinished(() => gateway.stop());
  for (const name of ["ears", "others"]) gateway.addKey({ name });
  const probe = { name: "short", key: "ears", model: "acme/ear", response_format: "verbose_json" } as const;
  const content: Partial<ConfigFileInput> = {
    probes: [
      { ...probe, expected_language: "en" },
      { ...probe, name: "other", key: "others" },
    ],
    probe_spend: SPEND,
  };
  const files = writeExporterFiles({ url: gateway.url, tokens: gateway.tokens, content });
  onTestFinished(() => files.remove());
  const run = (...argv: readonly string[]) =>
    runExporter([...argv, `--config.file=${files.configFile}`], files.environment);
  return { gateway, run };
}

function lineOf(output: string, name: string): string {
  const line = output.split("\n").find((candidate) => candidate.startsWith(`${name} `));
  return line?.slice(13) ?? "";
}

test.concurrent("probe NAME runs the probe once and prints the result", async ({
  expect,
  onTestFinished,
}) => {
  const { gateway, run } = await start(onTestFinished);
  gateway.manners.change({ latencyMs: 200, substitutedWords: 1, confidence: 0.9 });
  const { code, stdout } = await run("probe", "short");
  expect(code).toBe(0);
  const [record, ...more] = gateway.books.transcriptions();
  expect(more).toEqual([]);
  const requests = gateway.log.lines;
  expect(requests.map(({ endpoint }) => endpoint)).toEqual(["key", "key", "transcription"]);
  expect(new Set(requests.map(({ userAgent }) => userAgent))).toEqual(new Set([AGENT]));
  expect(lineOf(stdout, "probe")).toBe('short: acme/ear, paid by key "ears"');
  expect(lineOf(stdout, "result")).toBe("success");
  expect(lineOf(stdout, "expected")).toBe(
    "Every key counts credits, and a warning comes before they run out.",
  );
  expect(lineOf(stdout, "heard")).toBe(record?.text);
  expect(lineOf(stdout, "word errors")).toBe("rate 0.0833, at most 0.2");
  expect(lineOf(stdout, "language")).toMatch(/^en(glish)?, as expected$/);
  expect(lineOf(stdout, "confidence")).toBe("0.9");
  expect(lineOf(stdout, "cost")).toBe(`${record?.cost} credits`);
  const [, seconds = "", audio, speed = ""] =
    /^(\d\.\d{3}) s for ([\d.]+) s of audio, ([\d.]+) times as fast/.exec(lineOf(stdout, "duration")) ?? [];
  expect(Number(seconds)).toBeGreaterThanOrEqual(0.2);
  expect(audio).toBe("4.104");
  expect(Number(speed)).toBeCloseTo(4.104 / Number(seconds), 0);
});

test.concurrent("probe NAME ends with exit code 1 if the probe fails, and prints the reason", async ({
  expect,
  onTestFinished,
}) => {
  const { gateway, run } = await start(onTestFinished);
  gateway.manners.change({ text: "Something else.\u001b[31m" });
  const wrong = await run("probe", "short");
  expect(wrong.code).toBe(1);
  expect(lineOf(wrong.stdout, "result")).toMatch(
    /^failed, wrong_text: Probe "short" returned an unexpected text/,
  );
  expect(wrong.stdout).not.toContain("\u001b");
  gateway.manners.reset();
  gateway.manners.change({ status: 502 });
  const down = await run("probe", "short");
  expect(down.code).toBe(1);
  expect(lineOf(down.stdout, "result")).toMatch(/^failed, upstream_error: .* gateway answered 502/);
  expect(lineOf(down.stdout, "cost")).toBe("not known");
  expect(gateway.log.of("transcription").map(({ status }) => status)).toEqual([200, 502]);
});

test.concurrent("probe NAME is refused if it might exceed the day's ceiling, unless forced", async ({
  expect,
  onTestFinished,
}) => {
  const { gateway, run } = await start(onTestFinished);
  gateway.spend({ key: "ears", model: "acme/ear", app: "Chat", micros: 995_000, requests: 1 });
  const { code, stdout } = await run("probe", "short");
  expect([code, stdout]).toEqual([
    1,
    'Probe "short" is not run: 0.995 credits are spent today, and with 0.01 (max_cost_per_probe) it might exceed 1 (max_cost_per_day); use --force to run it anyway\n',
  ]);
  expect(gateway.books.transcriptions()).toEqual([]);
  expect((await run("probe", "short", "--force")).code).toBe(0);
  gateway.faults.add({ kind: "status", status: 403, endpoint: "key" });
  expect((await run("probe", "short")).stdout).toMatch(
    /the spend of the day is unknown: .* gateway answered 403/,
  );
});

test.concurrent("probe NAME refuses an unknown name", async ({ expect, onTestFinished }) => {
  const { run } = await start(onTestFinished);
  const { code, stderr } = await run("probe", "long");
  expect(code).toBe(2);
  expect(stderr).toMatch(/^Unknown probe "long": .*config\.yaml has "short", "other"\n/);
});
