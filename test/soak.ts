import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createGateway } from "./gateway/gateway.ts";
import type { Fault } from "./gateway/faults.ts";
import { writeExporterFiles } from "./support/exporter-files.ts";
import { startExporter, untilReady } from "./support/exporter-process.ts";
import { seriesOfText, type SeriesMap } from "./support/series.ts";

const HELP = `Soak: the real exporter for a long time, with faults, reloads and new secrets (docs/reliability.md).

Usage: npm run soak -- [options]
  --minutes <n>   how long (60)
  --keys <n>      keys (2000)
  --interval <n>  seconds between two polls of a key (30)
  --help          this text

Exit codes: 0 all bounds kept, 1 a bound was exceeded, 2 usage error.
`;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    keys: { type: "string", default: "2000" },
    interval: { type: "string", default: "30" },
    help: { type: "boolean", default: false },
  },
});
const [minutes = 0, keys = 0, interval = 0] = [values.minutes, values.keys, values.interval].map(Number);
if (values.help || !(minutes > 0) || !(keys >= 10) || !(interval >= 1)) {
  process.stdout.write(HELP);
  process.exit(values.help ? 0 : 2);
}

const SECOND = 1000;
const FAULTS: readonly Fault[] = [
  ...[401, 403, 404, 408, 500, 503].map((status): Fault => ({ kind: "status", status })),
  { kind: "status", status: 429, origin: "provider", retryAfterSeconds: 2 },
  { kind: "cut" },
  { kind: "reset" },
  { kind: "garbage", form: "html" },
  { kind: "garbage", form: "half_json" },
  { kind: "oversize", bytes: 2_000_000 },
  { kind: "redirect", location: "http://127.0.0.1:9/" },
];

const gateway = createGateway();
const names = Array.from({ length: keys }, (_, index) => `key-${index}`);
for (const name of names) gateway.addKey({ name });
await gateway.start();
const port = Number(new URL(gateway.url).port);
const files = writeExporterFiles({ gatewayUrl: gateway.url, tokens: gateway.tokens });
const folder = join(files.directory, "keys");
mkdirSync(folder);
mkdirSync(join(files.directory, "away"));
for (const [name, token] of gateway.tokens) writeFileSync(join(folder, name), `${token}\n`);
files.write({
  gateway: { base_url: gateway.url, requests_per_minute: 0, timeout: "5s" },
  keys: [],
  keys_dir: "keys",
  schedule: { keys: `${interval}s` },
});
const exporter = await startExporter([`--config.file=${files.configFile}`, "--web.enable-lifecycle"], {});
await untilReady(exporter);

const problems: string[] = [];
const memoryMiB: number[] = [];
const openFiles: number[] = [];
/** The credits of each key at each check. Spend only grows. */
const books: { readonly at: number; readonly credits: readonly number[] }[] = [];
const CHECK_MS = (interval * SECOND) / 4;
/** The longest so far: a busy machine polls less often. */
let intervalSeconds = interval;
/** One key in ten leaves and returns with the reloads. */
const comers = names.filter((_, index) => index % 10 === 9);
let isAway = false;
let [phase, phaseSince, checked] = ["calm", Date.now(), 0];

const endMs = Date.now() + minutes * 60 * SECOND;
const phases = runPhases();
while (Date.now() < endMs) {
  const beganMs = Date.now();
  spendAndRotate();
  await check().catch((error: unknown) => problems.push(`a scrape failed: ${String(error)}`));
  if (books.length % 13 === 0) await reload();
  await delay(Math.max(0, CHECK_MS - (Date.now() - beganMs)));
}
await phases;
const { code } = await exporter.stop();
if (code !== 0) problems.push(`the exporter ended with ${code}:\n${exporter.log().slice(-2000)}`);
await gateway.stop();
files.remove();
report();

/** Calm, faults of one key in twelve, an outage longer than any time to live; again and again. */
async function runPhases(): Promise<void> {
  while (Date.now() < endMs) {
    await enter("calm", 4);
    for (const [index, key] of names.entries()) {
      const fault = FAULTS[Math.floor(index / 12) % FAULTS.length];
      if (index % 12 === 0 && fault) gateway.faults.add({ ...fault, key });
    }
    await enter("faults", 3);
    gateway.faults.clear();
    await enter("calm", 3);
    await gateway.stop();
    await enter("outage", 4);
    await gateway.start(port);
  }
}

async function enter(name: string, intervals: number): Promise<void> {
  [phase, phaseSince] = [name, Date.now()];
  await delay(Math.max(0, Math.min(intervals * interval * SECOND, endMs - Date.now())));
}

/** Some keys spend, and one gets a new secret. */
function spendAndRotate(): void {
  for (let count = 0; count < keys / 20; count++) {
    const key = names[Math.floor(Math.random() * keys)] ?? "";
    gateway.spend({ key, model: "acme/one", app: "Chat", micros: 1000, force: true });
  }
  const name = names[Math.floor((Math.random() * keys) / 10) * 10] ?? "";
  const key = gateway.world.key(name);
  const token = `sk-sim-v1-${randomBytes(20).toString("hex")}`;
  // The former secret stays valid, as operators usually arrange.
  gateway.world.keysByToken.set(token, key);
  writeFileSync(join(files.directory, "changing"), `${token}\n`);
  renameSync(join(files.directory, "changing"), join(folder, name));
}

/** Every shown usage lies between the books of a time to live ago and those of now. */
async function check(): Promise<void> {
  const now = names.map((name) => gateway.books.key(name).credits.usage.total);
  const sentMs = Date.now();
  books.push({ at: sentMs, credits: now });
  const response = await fetch(`${exporter.url}/metrics`, { signal: AbortSignal.timeout(10 * SECOND) });
  if (!response.ok) throw new Error(`/metrics answered ${response.status}`);
  const series = seriesOfText(await response.text());
  const achieved = series.get('aigateway_exporter_poll_interval_seconds{collector="key"}') ?? 0;
  intervalSeconds = Math.max(intervalSeconds, achieved);
  const expired = sentMs - (3 * intervalSeconds + 5) * SECOND;
  const least = books.findLast(({ at }) => at <= expired)?.credits ?? [];
  const isCalm = phase === "calm" && Date.now() - phaseSince > 2 * intervalSeconds * SECOND;
  compare(series, least, now);
  if (isCalm) {
    const stayers = names.filter((name) => !comers.includes(name));
    problems.push(
      ...stayers.filter((name) => !isUp(series, name)).map((name) => `${name} is not up when calm`),
    );
  }
  memoryMiB.push(
    Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${exporter.pid}/status`, "utf8"))?.[1]) / 1024,
  );
  openFiles.push(readdirSync(`/proc/${exporter.pid}/fd`).length);
  process.stdout.write(`${phase}: ${Math.round(memoryMiB.at(-1) ?? 0)} MiB, ${problems.length} problems\n`);
}

function compare(series: SeriesMap, least: readonly number[], most: readonly number[]): void {
  for (const [index, name] of names.entries()) {
    const usage = series.get(`aigateway_key_usage_credits{key="${name}"}`);
    if (usage === undefined) continue;
    checked++;
    const [from, to] = [least[index] ?? 0, most[index] ?? 0];
    if (usage < from || usage > to)
      problems.push(`${name} shows ${usage}, wanted ${from} to ${to} (${phase})`);
  }
}

function isUp(series: SeriesMap, name: string): boolean {
  return series.get(`aigateway_key_up{key="${name}"}`) === 1;
}

async function reload(): Promise<void> {
  const [from, to] = isAway ? ["away", "keys"] : ["keys", "away"];
  for (const name of comers) renameSync(join(files.directory, from, name), join(files.directory, to, name));
  isAway = !isAway;
  const response = await fetch(`${exporter.url}/-/reload`, { method: "POST" });
  if (!response.ok) problems.push(`a reload failed: ${await response.text()}`);
}

function report(): void {
  const quarter = Math.floor(memoryMiB.length / 4);
  const [before, after] = [
    medianOf(memoryMiB.slice(quarter, 2 * quarter)),
    medianOf(memoryMiB.slice(-quarter)),
  ];
  const [filesBefore, filesAfter] = [
    medianOf(openFiles.slice(quarter, 2 * quarter)),
    medianOf(openFiles.slice(-quarter)),
  ];
  // A short run has not warmed up.
  if (minutes >= 20 && after > 1.1 * before) problems.push(`memory grew from ${before} to ${after} MiB`);
  if (filesAfter > filesBefore + 20) problems.push(`open files grew from ${filesBefore} to ${filesAfter}`);
  process.stdout.write(
    `${checked} values in ${books.length} scrapes; memory ${before.toFixed()} to ${after.toFixed()} MiB\n`,
  );
  for (const problem of problems.slice(0, 50)) process.stdout.write(`${problem}\n`);
  process.stdout.write(`${problems.length} problems\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

function medianOf(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;
}
