import type { Stage } from "./stage.ts";
import { scrape, type Values } from "./exposition.ts";
import { reloadAttacks } from "./client/request-attacks.ts";
import type { Kind } from "./kind.ts";
import { machineAttacks } from "./machine/attacks.ts";
import { reloadFileAttacks } from "./machine/disk-attacks.ts";

/** Carries out attacks. */
export interface Launcher {
  /** One attack for some time. Its lane is quiet afterwards. */
  readonly run: (kind: Kind, ms: number, signal: AbortSignal) => Promise<void>;
  /** All attacks, one at a time, with a pause after each; notes why polls failed. */
  readonly runAlone: (kinds: readonly Kind[], signal: AbortSignal) => Promise<void>;
}

/** Longer than an interval, so that every key is polled. */
const ALONE_MS = 5500;
/** Longer than the time limit of a request. */
const CALM_MS = 2500;

export function createLauncher(stage: Stage): Launcher {
  const { setting, judge, random, result } = stage;

  async function run(kind: Kind, ms: number, signal: AbortSignal): Promise<void> {
    const { name, lane, actor } = kind;
    const aborter = new AbortController();
    const isReload = name in reloadAttacks;
    if (isReload) await endReloads(stage, name, signal);
    const before = isReload ? await reloadTime(stage) : undefined;
    judge.begin(kind);
    const struck = (seen: string): void => {
      const story = result.stories.get(kind);
      story?.seen.set(seen, (story.seen.get(seen) ?? 0) + 1);
    };
    const attack = machineAttacks.get(name);
    stage.order({ type: "attack", lane, kind: name });
    const ended =
      actor === "machine" && attack
        ? attack({
            setting,
            random,
            struck,
            signal: aborter.signal,
            exporter: () => stage.exporter,
            breach: (text) => judge.breach("entry", text),
          })
        : Promise.resolve();
    await rest(ms, signal);
    aborter.abort();
    stage.order({ type: "attack", lane });
    await ended;
    if (actor === "machine") {
      setting.restore();
      if (name in reloadFileAttacks) await reload(stage, name, signal);
      // A reload in progress must not look like one that got in.
      await rest(300, signal);
    }
    const after = isReload ? await reloadTime(stage) : undefined;
    if (before !== undefined && after !== undefined && after > before)
      judge.breach("entry", `"${name}" reloaded the configuration`);
    judge.end(kind);
  }

  return {
    run,
    runAlone: async (kinds, signal) => {
      for (const [index, kind] of kinds.entries()) {
        if (signal.aborted) return;
        const before = await scrape(stage.exporter.url);
        await run(kind, ALONE_MS, signal);
        await rest(CALM_MS, signal);
        noteReasons(stage, kind, before, await scrape(stage.exporter.url));
        // The next attack must not suffer from this one.
        if ((result.stories.get(kind)?.broken.size ?? 0) > 0) await stage.restart();
        stage.options.onProgress?.(`${index + 1}/${kinds.length} ${kind.name} (${kind.lane})`);
      }
    },
  };
}

/** A reload may be in progress when another one is requested, which then follows it. */
async function endReloads(stage: Stage, name: string, signal: AbortSignal): Promise<void> {
  const sentMs = Date.now();
  await reload(stage, name, signal);
  await rest(1000 + 2 * (Date.now() - sentMs), signal);
}

/** A reload that hangs must end, and the next one must work. */
const RELOAD_MS = 15_000;

async function reload(stage: Stage, name: string, signal: AbortSignal): Promise<void> {
  const sentMs = Date.now();
  stage.exporter.signal("SIGHUP");
  while (!signal.aborted && Date.now() < sentMs + RELOAD_MS) {
    await rest(200, signal);
    if (((await reloadTime(stage)) ?? 0) * 1000 >= sentMs) return;
  }
  if (!signal.aborted) stage.judge.breach("recovery", `no reload within ${RELOAD_MS} ms after "${name}"`);
}

const FAILURES = /^aigateway_\w+_failures_total\{.*reason="(\w+)"/;

function noteReasons({ result }: Stage, kind: Kind, before?: Values, after?: Values): void {
  const story = result.stories.get(kind);
  for (const [series, count] of after ?? []) {
    const reason = FAILURES.exec(series)?.[1];
    const more = count - (before?.get(series) ?? 0);
    if (reason !== undefined && more > 0) story?.reasons.set(reason, (story.reasons.get(reason) ?? 0) + more);
  }
}

/** When the configuration was last reloaded. */
async function reloadTime({ exporter }: Stage): Promise<number | undefined> {
  const values = await scrape(exporter.url);
  return values?.get("aigateway_exporter_config_last_reload_success_timestamp_seconds");
}

function rest(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
    if (signal.aborted) resolve();
  });
}
