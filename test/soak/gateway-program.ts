import { randomBytes } from "node:crypto";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createGateway, type Gateway } from "../gateway/gateway.ts";
import { ANALYTICS_FAULT, HARMLESS, keyFaults, ONE_IN, THROTTLED } from "./fault-mix.ts";
import { DAY, dayStart, figuresOf } from "./figures.ts";
import { comersAndGoers, fleet } from "./fleet.ts";
import { type GatewayMessage, GatewayOrder } from "./messages.ts";
import { PHASES, type Phase } from "./plan.ts";

const order = GatewayOrder.parse(JSON.parse(process.argv[2] ?? ""));
const gateway = createGateway();
const names = fleet(order.keys).map((key, index) => {
  gateway.addKey(key);
  spendBefore(key.name, index);
  return key.name;
});
const goers = new Set(comersAndGoers(names));
const stayers = names.filter((name) => !goers.has(name));
/** The changed secrets, by key. */
const secrets = new Map<string, string>();
const keysDirectory = join(order.directory, "keys");
process.once("disconnect", () => process.exit());
await run();

/**
 * The gateway of a soak: it spends, fails according to the plan, changes secrets, and reports the history of its
 * books.
 */
async function run(): Promise<void> {
  mkdirSync(keysDirectory, { recursive: true });
  writeFileSync(join(order.directory, "management"), gateway.managementToken);
  for (const [name, token] of gateway.tokens) writeFileSync(join(keysDirectory, name), `${token}\n`);
  await gateway.start();
  tellAll(Date.now());
  tell({ type: "listening", url: gateway.url });
  const tickMs = Math.min(1000, order.intervalMs / 10);
  setInterval(createTick(), tickMs);
  // Between two changes, a busy machine reads the whole folder.
  setInterval(changeSecret, Math.min(1000, order.intervalMs / 2));
  const { port: bound } = new URL(gateway.url);
  for (;;) for (const phase of PHASES) await goThrough(phase, Number(bound));
}

function createTick(): () => void {
  let day = dayStart(Date.now());
  let dayMicros = 0;
  let turn = 0;
  let logged = 0;
  return () => {
    const now = Date.now();
    if (dayStart(now) !== day) {
      day = dayStart(now);
      dayMicros = 0;
      tellAll(day);
    }
    const spenders = spendersOf(turn);
    turn += 1;
    for (const [index, key] of spenders.entries()) dayMicros += spend(key, index + turn, now);
    const fresh = gateway.log.total - logged;
    logged = gateway.log.total;
    const answers = fresh === 0 ? [] : gateway.log.lines.slice(-fresh).flatMap(goodAnswer);
    tell({ type: "books", at: now, since: now, states: statesOf(spenders, now), answers, dayMicros });
  };
}

/** Spend of earlier windows, so that day, week, month and all time differ. */
function spendBefore(key: string, index: number): void {
  for (const days of [1, 8, 32]) {
    const micros = 10 + days * 100 + (index % 50);
    gateway.spend({ key, at: Date.now() - days * DAY, model: "acme/model-1", micros, force: true });
  }
}

type Line = Gateway["log"]["lines"][number];

function goodAnswer({ endpoint, key, status, fault, at }: Line): [string, number][] {
  return endpoint === "key" && key !== null && status === 200 && HARMLESS.has(fault) ? [[key, at]] : [];
}

/** Some keys spend all the time, all others occasionally. */
function spendersOf(turn: number): readonly string[] {
  const busy = Math.ceil(names.length / 500);
  const share = Math.ceil(names.length / 120);
  const some = Array.from({ length: share }, (_, index) => (turn * share + index) % names.length);
  const often = Array.from({ length: busy }, (_, index) => (turn * 7 + index * 13) % (busy * 20));
  return [...new Set([...some, ...often])].flatMap((index) => names[index] ?? []);
}

/** Returns what was posted, BYOK included, as in the metric total_usage. */
function spend(key: string, turn: number, at: number): number {
  const micros = 100 + ((turn * 7919) % 5000);
  const isByok = turn % 11 === 0;
  const { accepted } = gateway.spend({
    key,
    at,
    model: `acme/model-${turn % 24}`,
    app: `App ${turn % 9}`,
    ...(isByok ? { byokMicros: micros } : { micros }),
  });
  return accepted ? micros : 0;
}

function statesOf(keys: readonly string[], at: number) {
  return keys.map((key) => ({ key, figures: figuresOf(gateway.books.key(key, at), gateway.world.key(key)) }));
}

/** New windows have begun, or there is no history yet. */
function tellAll(since: number): void {
  tell({ type: "books", at: since, since, states: statesOf(names, since), answers: [], dayMicros: 0 });
}

/** A previous secret stays valid for a while, as operators usually arrange. */
function changeSecret(): void {
  const name = stayers[Math.floor(Math.random() * stayers.length)];
  if (name === undefined) return;
  const key = gateway.world.key(name);
  const [old, token] = [secrets.get(name) ?? key.token, `sk-sim-v1-${randomBytes(20).toString("hex")}`];
  secrets.set(name, token);
  gateway.world.keysByToken.set(token, key);
  const written = join(order.directory, "changing");
  writeFileSync(written, `${token}\n`);
  renameSync(written, join(keysDirectory, name));
  setTimeout(() => gateway.world.keysByToken.delete(old), order.intervalMs / 4);
}

async function goThrough(phase: Phase, port: number): Promise<void> {
  tell({ type: "phase", name: phase.name, at: Date.now() });
  gateway.faults.clear();
  const lengthMs = phase.intervals * order.intervalMs;
  if (phase.name === "mixed faults") mixFaults();
  if (phase.name === "slow answers") gateway.faults.add({ kind: "slow", delayMs: order.intervalMs / 300 });
  if (phase.name === "throttling") gateway.faults.add(THROTTLED);
  if (phase.name === "outage") await gateway.stop();
  await new Promise((resolve) => {
    setTimeout(resolve, lengthMs);
  });
  if (phase.name === "outage") await gateway.start(port);
}

function mixFaults(): void {
  const faults = keyFaults(order.intervalMs);
  const first = Math.floor(Math.random() * ONE_IN);
  gateway.faults.add(ANALYTICS_FAULT);
  for (const [index, key] of names.entries()) {
    const fault = faults[Math.floor(index / ONE_IN) % faults.length];
    if (index % ONE_IN === first && fault) gateway.faults.add({ ...fault, key });
  }
}

function tell(message: GatewayMessage): void {
  process.send?.(message);
}
