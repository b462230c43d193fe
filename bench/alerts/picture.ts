import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { judgedRules } from "./judged-rules.ts";
import { buildSimulator, replayKey } from "./simulator.ts";

/**
 * Draws docs/pictures/one-exhaustion.svg: one day of a simulated key and the alerts that announce its exhaustion.
 * `node bench/alerts/picture.ts` builds the simulator and takes half a minute.
 */
const STORY = { keys: 27, days: 4, seed: 8, key: 3, from: "2026-03-18T00:00", to: "2026-03-19T00:00" };
const FILE = join(import.meta.dirname, "../../docs/pictures/one-exhaustion.svg");

const [WIDTH, HEIGHT] = [880, 330];
const PLOT = { left: 60, right: 860, top: 60, bottom: 280 };

/** What happens to the key, in the words of the alerts. */
const MARKS = [
  [/Predicted FIRES/, "…ExhaustionPredicted: the key runs out today", "#b37400", 0],
  [/Imminent FIRES/, "…ExhaustionImminent: within the hour", "#c4162a", 90],
  [/EXHAUSTED/, "used up; the page stays until the reset", "#c4162a", 120],
] as const;

interface Point {
  readonly minute: number;
  readonly percent: number;
  readonly event: string;
}

const folder = mkdtempSync(join(tmpdir(), "picture-"));
const rules = join(folder, "rules.yaml");
writeFileSync(rules, judgedRules());
const timeline = await replayKey(buildSimulator(), { ...STORY, rules });
rmSync(folder, { recursive: true });
writeFileSync(FILE, draw(pointsOf(timeline)));

function pointsOf(text: string): readonly Point[] {
  const row = /^\w{3} 03-18 (\d\d):(\d\d) .*\(\s*([\d.]+)%\).*reset in +\S+ *(.*)$/gm;
  return [...text.matchAll(row)].map(([, hours, minutes, percent, event = ""]) => ({
    minute: 60 * Number(hours) + Number(minutes),
    percent: Number(percent),
    event,
  }));
}

function draw(points: readonly Point[]): string {
  const line = points.map(({ minute, percent }) => `${x(minute)},${y(percent)}`).join(" ");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="13">
<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>
<text x="${PLOT.left}" y="24" fill="#333333" font-size="15">A key with a daily limit, on a day that spends more than the limit: share of the limit that is left</text>
${[0, 25, 50, 75, 100].map(horizontal).join("\n")}
${[0, 3, 6, 9, 12, 15, 18, 21, 24].map(hour).join("\n")}
<polyline points="${line}" fill="none" stroke="#3274d9" stroke-width="2"/>
${points.flatMap(mark).join("\n")}
</svg>
`;
}

function horizontal(percent: number): string {
  return `<line x1="${PLOT.left}" x2="${PLOT.right}" y1="${y(percent)}" y2="${y(percent)}" stroke="#dddddd"/><text x="${PLOT.left - 8}" y="${y(percent) + 4}" text-anchor="end" fill="#555555">${percent} %</text>`;
}

function hour(time: number): string {
  return `<text x="${x(60 * time)}" y="${PLOT.bottom + 20}" text-anchor="middle" fill="#555555">${time}:00</text>`;
}

function mark({ minute, event }: Point): readonly string[] {
  return MARKS.filter(([pattern]) => pattern.test(event)).map(([, label, colour, drop]) => {
    const [at, height] = [x(minute), PLOT.top + drop];
    return `<line x1="${at}" x2="${at}" y1="${height}" y2="${PLOT.bottom}" stroke="${colour}" stroke-width="1.5"/><text x="${at + 6}" y="${height + 12}" fill="${colour}">${clock(minute)} ${label}</text>`;
  });
}

function clock(minute: number): string {
  return `${Math.floor(minute / 60)}:${String(minute % 60).padStart(2, "0")}`;
}

function x(minute: number): number {
  return Math.round(PLOT.left + ((PLOT.right - PLOT.left) * minute) / 1440);
}

function y(percent: number): number {
  return Math.round(PLOT.bottom - ((PLOT.bottom - PLOT.top) * percent) / 100);
}
