import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { ROOT } from "../support/repository.ts";
import { type EngineDouble, startEngineDouble } from "./engine-double.ts";
import { type Changes, LEAST, settingTexts } from "./program-settings.ts";

// Loading the SDK and the program takes seconds, or longer on a busy machine.
const TIMEOUT = { timeout: 180_000 };

const RUNNER = createRequire(import.meta.url).resolve("@pulumi/pulumi/cmd/run");

describe("infra/index.ts, run as by pulumi up", () => {
  test("registers every resource under its component, and returns the stack's outputs", TIMEOUT, async () => {
    const { engine, exitCode, log } = await run(
      { ...LEAST, managementKey: "sk-test-management", waitForConfig: false },
      ["keys", "managementKey"],
    );
    expect(log).toBe("");
    expect(engine.errors).toEqual([]);
    expect(exitCode).toBe(0);
    expect(engine.outputs).toEqual({
      grafanaFolderUrl: null,
      metricsUrl: "http://aigateway-exporter.aigateway-exporter.svc:9853/metrics",
    });
    const parents = engine.resources.map(
      ({ name, type, parent }) => `${parent.split("::").at(-1)} > ${name} ${type}`,
    );
    expect(parents).toContain("exporter > exporter kubernetes:apps/v1:Deployment");
    expect(parents).toContain(
      "monitoring > monitoring-rules kubernetes:monitoring.coreos.com/v1:PrometheusRule",
    );
    const orphans = engine.resources.filter(
      ({ type, parent }) => type.startsWith("kubernetes:") && parent === "",
    );
    expect(orphans).toEqual([]);
  });

  test("reports all wrong settings at once and fails without a stack trace", TIMEOUT, async () => {
    const { engine, exitCode } = await run({ name: "Wrong", exporter: {} }, []);
    expect(exitCode).not.toBe(0);
    expect(engine.errors.join("\n")).toMatch(
      /^Cannot deploy: 4 settings are wrong\n {2}name: "Wrong" .*\n(?: {2}exporter.*\n){2} {2}image: [^\n]*$/,
    );
    expect(engine.resources.filter(({ type }) => type.startsWith("kubernetes:"))).toEqual([]);
  });
});

interface Run {
  readonly engine: EngineDouble;
  readonly exitCode: number | null;
  /** The runner's own output. */
  readonly log: string;
}

function prefixed(name: string): string {
  return `aigateway-exporter:${name}`;
}

async function run(changes: Changes, secretNames: readonly string[]): Promise<Run> {
  const engine = await startEngineDouble();
  onTestFinished(() => engine.stop());
  const texts = Object.entries(settingTexts(changes)).map(([name, text]) => [prefixed(name), text]);
  const child = spawn(
    process.execPath,
    [
      RUNNER,
      `--monitor=${engine.address}`,
      `--engine=${engine.address}`,
      "--project=aigateway-exporter",
      "--stack=test",
      "--parallel=8",
      `--pwd=${ROOT}`,
      join(ROOT, "infra", "index.ts"),
    ],
    {
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...process.env,
        PULUMI_CONFIG: JSON.stringify(Object.fromEntries(texts)),
        PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(secretNames.map(prefixed)),
      },
    },
  );
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => chunks.push(chunk));
  }
  await once(child, "close");
  return { engine, exitCode: child.exitCode, log: chunks.join("") };
}
