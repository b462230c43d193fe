import { readdirSync, readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { LOGIN, PAGES } from "./books.ts";
import { report, takeOrders } from "./messages.ts";

// The honest client, in its own process: it asks for health and metrics four times a second, on new connections and on a
// kept one, without waiting for earlier answers.
let target: { readonly url: string; readonly pid: number } | undefined;
const authorization = `Basic ${Buffer.from(`${LOGIN.user}:${LOGIN.password}`).toString("base64")}`;
const kept = new Agent({ keepAlive: true, maxSockets: 1 });
/** Each returns how long its probe has waited. */
const pending = new Set<{
  readonly path: string;
  readonly atMs: number;
  isReported: boolean;
  readonly ms: () => number;
}>();
let turn = 0;
const PERIOD_MS = 250;
/** How long this process did not run although it was time. */
let lateMs = 0;
let [starvedMs, waitedSum] = [0, 0];
let lastWaited: ReadonlyMap<string, number> = new Map();
let expectedAt = performance.now() + PERIOD_MS;

takeOrders((order) => {
  if (order.type === "target") target = order;
});
report({ type: "listening", address: "" });
setInterval(() => {
  const now = performance.now();
  lateMs += Math.max(0, now - expectedAt);
  expectedAt = now + PERIOD_MS;
  if (target) {
    starvedMs = lateMs + (waitedSum += waitedSince(lastWaited, target.pid));
    lastWaited = waitedMs(target.pid);
  }
  turn += 1;
  for (const waiting of pending) {
    const ms = waiting.ms();
    if (waiting.isReported || ms < OVERDUE_MS) continue;
    waiting.isReported = true;
    report({ type: "overdue", path: waiting.path, atMs: waiting.atMs, ms });
  }
  if (!target || pending.size > MOST_PENDING) return;
  probe("/-/healthy", false);
  probe("/metrics", turn % 2 === 0);
  if (turn % 10 === 0) probe(PAGES[(turn / 10) % PAGES.length] ?? "/", false);
}, PERIOD_MS);

/** More would be an attack. */
const MOST_PENDING = 24;
const OVERDUE_MS = 1000;
const PATIENCE_MS = 60_000;

function probe(path: string, isKept: boolean): void {
  if (!target) return;
  const { url, pid } = target;
  const [atMs, began, lateBefore, waitedBefore] = [Date.now(), performance.now(), lateMs, waitedMs(pid)];
  const excusedMs = (): number => lateMs - lateBefore + waitedSince(waitedBefore, pid);
  const own = { path, atMs, isReported: false, ms: () => performance.now() - began - excusedMs() };
  pending.add(own);
  let isDone = false;
  const done = (end: string, body?: string): void => {
    if (isDone) return;
    isDone = true;
    pending.delete(own);
    const wallMs = performance.now() - began;
    report({ type: "probe", path, atMs, wallMs, starvedMs, ms: Math.max(0, own.ms()), end, body });
  };
  const attempt = (agent: Agent | false): void => {
    const asked = request(
      url + path,
      { headers: { authorization }, timeout: PATIENCE_MS, agent },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          const body = Buffer.concat(chunks).toString();
          const isShown = path === "/metrics" ? turn % 4 === 0 : path !== "/-/healthy";
          if (response.statusCode === 200) done("200", isShown ? body : undefined);
          else done(`${response.statusCode} ${body.slice(0, 100)}`);
        });
        response.on("error", (error) => done(`${textOf(error)} within the answer`));
      },
    );
    asked.on("timeout", () => asked.destroy(new Error("no answer")));
    asked.on("error", (error) => {
      // The server may close an idle connection at the moment of the request. Clients such as Prometheus then repeat it.
      if (asked.reusedSocket && !isDone && /ECONNRESET|EPIPE/.test(textOf(error))) attempt(false);
      else done(`${textOf(error)} on ${asked.reusedSocket ? "the kept" : "a new"} connection`);
    });
    asked.end();
  };
  attempt(isKept ? kept : false);
}

function textOf(error: Error): string {
  const code = "code" in error ? String(error.code) : "";
  return error.message.includes(code) ? error.message : `${code} ${error.message}`;
}

/**
 * How long the exporter could run but had no processor: its main thread, and the one of the others that waited longest,
 * because an answer needs one of them for files and compression. On a busy machine that is not its fault.
 */
function waitedMs(pid: number): ReadonlyMap<string, number> {
  const waited = new Map<string, number>();
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const [, nanoseconds = "0"] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ");
      waited.set(thread, Number(nanoseconds) / 1e6);
    }
  } catch {
    // It has ended.
  }
  return waited;
}

function waitedSince(before: ReadonlyMap<string, number>, pid: number): number {
  const more = [...waitedMs(pid)].map(([thread, ms]): [string, number] => [
    thread,
    Math.max(0, ms - (before.get(thread) ?? 0)),
  ]);
  const [main = 0] = more.flatMap(([thread, ms]) => (thread === String(pid) ? [ms] : []));
  const others = more.flatMap(([thread, ms]) => (thread === String(pid) ? [] : [ms]));
  return main + Math.max(0, ...others);
}
