import type { Stage } from "./stage.ts";
import { ENDINGS, KINDS } from "./kind.ts";
import type { Launcher } from "./launcher.ts";
import { shuffled } from "./random.ts";

/** The documented time (docs/reliability.md), and the time of the process to notice. */
const STOP_MS = 8000;
const NOTICE_MS = 1500;
const BEFORE_MS = 3000;

/** Sends SIGTERM to the exporter in the middle of attacks, and starts it again for the next ones. */
export async function runEndings(
  stage: Stage,
  { run }: Launcher,
  most: number,
  leaveAlone: () => void,
): Promise<void> {
  const chosen = shuffled(ENDINGS, stage.random).slice(0, most);
  leaveAlone();
  for (const [index, names] of chosen.entries()) {
    if (index > 0) await stage.restart();
    const over = new AbortController();
    const kinds = names.flatMap((name) => KINDS.find((kind) => kind.name === name) ?? []);
    const attacks = kinds.map((kind) => run(kind, 60_000, over.signal));
    await new Promise((resolve) => {
      setTimeout(resolve, BEFORE_MS);
    });
    const text = names.join(" + ");
    const before = stage.exporter.end();
    if (before !== undefined) stage.judge.breach("lives", `under ${text}: it ended with ${before}`);
    stage.judge.excuse(true);
    const began = Date.now();
    stage.exporter.signal("SIGTERM");
    const end = await stage.exporter.untilEnd(STOP_MS + NOTICE_MS);
    const ms = Date.now() - began;
    over.abort();
    await Promise.all(attacks);
    stage.result.endings.push({ attacks: text, ms, end: end ?? "it still runs" });
    if (end === undefined || end.startsWith("signal"))
      stage.judge.breach("end", `under ${text}: ${end ?? "it still runs"} after ${ms} ms`);
  }
}
