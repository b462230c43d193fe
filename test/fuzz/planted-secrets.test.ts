import { createServer } from "node:http";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseCommandLine } from "../../exporter/cli/command-line/command-line.ts";
import { probe } from "../../exporter/cli/probe.ts";
import { createLog } from "../../exporter/log.ts";
import { createManualClock, type ManualClock } from "../support/clock.ts";
import { DISGUISES, PARTS } from "../support/disguises.ts";
import { type ExporterFiles, writeExporterFiles } from "../support/exporter-files.ts";
import { leaksOf, planted } from "../support/planted-secrets.ts";
import { listenOnLoopback } from "../support/loopback.ts";
import { type RunningApp, startAppFrom } from "../support/test-app.ts";
import { type Path, PLACES, withValueAt } from "../support/wire-places.ts";
import { createTerminalDouble } from "../exporter/cli/terminal-double.ts";
import { CONTRACT_DATA } from "../exporter/collectors/key-exposition.ts";
import { runs, TIMEOUT_MS } from "./runs.ts";

/** A service that knows every secret and repeats any of them anywhere. */
const SECRETS = new Map(["own", "other", "management", "payer"].map((name) => [name, planted(name)]));

const GOOD = {
  key: { data: { ...CONTRACT_DATA } },
  usage: {
    data: {
      data: [{ model: "acme/one", app: "Chat", total_usage: 5, request_count: 1 }],
      metadata: { truncated: false, query_time_ms: 1 },
    },
  },
  transcription: { text: "Hello", usage: { cost: 0.01 }, language: "en" },
  error: { error: { code: 400, message: "Refused", metadata: {} } },
} as const;

type Kind = keyof typeof GOOD;

/** One secret at one place of one answer. */
interface Plant {
  readonly kind: Kind;
  readonly path: Path;
  readonly status: number;
  readonly shape: (text: string) => unknown;
  readonly text: string;
}

const SHAPES: readonly Plant["shape"][] = [
  (text) => text,
  (text) => `Key ${text} is unknown (${text})`,
  (text) => [text],
  (text) => ({ [text]: text }),
];

function bodyOf({ kind, path, shape, text }: Plant): unknown {
  return withValueAt(GOOD[kind], path, shape(text));
}

/** A header may contain printable ASCII only. */
function hintsOf({ kind, text }: Plant): Readonly<Record<string, string>> {
  return kind === "error" && /^[ -~]+$/.test(text) ? { "retry-after": text, "x-key": text } : {};
}

describe("a secret that the service plants", () => {
  let files: ExporterFiles;
  let clock: ManualClock;
  let app: RunningApp;
  const lines: string[] = [];
  let plant: Plant | undefined;

  const server = createServer(({ url = "" }, response) => {
    const kind = url.endsWith("/key") ? "key" : url.includes("analytics") ? "usage" : "transcription";
    const hit = plant?.kind === kind || plant?.kind === "error" ? plant : undefined;
    response.writeHead(hit?.status ?? 200, { "content-type": "application/json", ...(hit && hintsOf(hit)) });
    response.end(JSON.stringify(hit ? bodyOf(hit) : GOOD[kind]));
  });
  let stopServer: () => Promise<void>;

  beforeAll(async () => {
    clock = createManualClock();
    const { address, stop } = await listenOnLoopback(server);
    stopServer = stop;
    const url = `http://${address}`;
    files = writeExporterFiles({
      gatewayUrl: url,
      tokens: new Map([...SECRETS].filter(([name]) => name !== "management")),
      managementToken: planted("management"),
      content: {
        gateway: { base_url: url, requests_per_minute: 0 },
        keys: [
          { name: "own", api_key_env: "KEY_0", show_label: true },
          { name: "other", api_key_env: "KEY_1", show_label: true },
          { name: "payer", api_key_env: "KEY_2" },
        ],
        analytics: { management_key_env: "MANAGEMENT_KEY", rates: true },
        schedule: { keys: "60s", analytics: "60s" },
        probes: [{ name: "ears", key: "payer", model: "acme/whisper", schedule: "* * * * *" }],
        probe_spend: { max_cost_per_day: 100, max_cost_per_probe: 0.01 },
      },
    });
    app = await startAppFrom(files, clock, createLog("debug", "json", { write: (line) => lines.push(line) }));
    await clock.runTo(clock.now() + 300_000);
  });

  afterAll(async () => {
    await app.stop();
    await stopServer();
    files.remove();
  });

  /** Everything that leaves the process after the targets have received the answer. */
  async function outputs(next: Plant): Promise<string> {
    lines.length = 0;
    plant = next;
    await clock.runTo(clock.now() + 70_000, 10_000);
    const paths = [
      "/metrics",
      "/",
      "/api/v1/status",
      "/keys/own",
      "/account",
      "/models",
      "/apps",
      "/-/ready",
    ];
    const texts = await Promise.all(paths.map((path) => app.page(path)));
    return [...texts, ...lines, await probed()].join("\n");
  }

  /** What the command `probe` prints. */
  async function probed(): Promise<string> {
    const { terminal, printed } = createTerminalDouble(files.environment);
    const line = parseCommandLine(["probe", "ears", "--force", `--config.file=${files.configFile}`]);
    if (line.command !== "probe") throw new Error("Cannot parse the command line");
    await probe(line, terminal);
    return printed.stdout + printed.stderr;
  }

  const kinds = ["key", "usage", "transcription", "error"] as const;
  const places = kinds.flatMap((kind) => PLACES[kind].map((path) => [kind, path] as const));

  test("covers the fields of all answers", () => {
    const names = places.map(([kind, path]) => [kind, ...path].join("."));
    expect(names).toEqual(
      expect.arrayContaining([
        "key.data.label",
        "key.data.limit_reset",
        "usage.data.data.0.app",
        "usage.data.warnings",
        "transcription.language",
        "error.error.message",
        "error.error.metadata.headers.retry-after",
      ]),
    );
    expect(names.length).toBeGreaterThan(40);
  });

  test(
    "leaves the process in no form, whatever it looks like and wherever it is",
    { timeout: 20 * TIMEOUT_MS },
    async () => {
      const plants = fc.record({
        place: fc.constantFrom(...places),
        status: fc.constantFrom(400, 401, 403, 429, 500, 503),
        shape: fc.constantFrom(...SHAPES),
        secret: fc.constantFrom(...SECRETS.values()),
        part: fc.constantFrom(...Object.values(PARTS)),
        disguise: fc.constantFrom(...Object.values(DISGUISES)),
      });
      const property = fc.asyncProperty(
        plants,
        async ({ place: [kind, path], status, shape, secret, part, disguise }) => {
          const text = disguise(part(secret));
          const next = { kind, path, status: kind === "error" ? status : 200, shape, text };
          expect(revealed(await outputs(next), text, secret)).toEqual([]);
        },
      );
      await fc.assert(property, runs(150));
    },
  );

  test.each(places)("leaves the process in no form from the %s answer, at %j", async (kind, path) => {
    const secret = planted("other");
    for (const shape of SHAPES.slice(0, 2)) {
      const next = { kind, path, status: kind === "error" ? 401 : 200, shape, text: secret };
      expect(revealed(await outputs(next), secret, secret)).toEqual([]);
    }
  });
});

/** The forms in which an output shows a secret, or the planted text as it is. */
function revealed(output: string, text: string, secret: string): readonly string[] {
  const pieces = Array.from({ length: 14 }, (_, index) => secret.slice(9 + 4 * index, 21 + 4 * index));
  const forms = Object.entries(DISGUISES).flatMap(([name, disguise]) =>
    pieces.some((piece) => output.includes(disguise(piece))) ? [name] : [],
  );
  return [...forms, ...(output.includes(text) ? [text] : []), ...leaksOf(output, SECRETS)];
}
