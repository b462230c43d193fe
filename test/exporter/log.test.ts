import { describe, expect, test } from "vitest";

import { Secret } from "../../exporter/config/secret.ts";
import {
  createLineLimiter,
  createLog,
  LOG_FORMATS,
  LOG_LEVELS,
  type LogFormat,
  type LogLevel,
} from "../../exporter/log.ts";
import { createManualClock } from "../support/clock.ts";
import { createRecordingLog } from "../support/log.ts";

describe.each(LOG_FORMATS)("the field error of a log in %s", (format) => {
  test("contains no secret, nor does any other text of a line", () => {
    const lines: string[] = [];
    const secret = new Secret("sk-one");
    const log = createLog("debug", format, { write: (line) => void lines.push(line) });
    log.error({ error: String(new Error("Bearer sk-one")) }, "Cannot answer");
    log.child({ target: "sk-one" }).error({ error: new Error("Bearer sk-one") }, "Cannot poll");
    log.info({ targets: ["a", "sk-one"] }, "Bearer sk-one");
    expect(lines).toHaveLength(3);
    for (const line of lines.slice(0, 2)) expect(line).toMatch(/error"?[:=]"Error: Bearer \[redacted\]"/);
    expect(lines.join("\n")).not.toContain("sk-one");
    expect(lines.join("\n").match(/\[redacted\]/g)).toHaveLength(5);
    expect(secret.reveal()).toBe("sk-one");
  });
});

function logTo(level: LogLevel, format: LogFormat) {
  const lines: string[] = [];
  return { lines, log: createLog(level, format, { write: (line) => void lines.push(line) }) };
}

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/;

describe("createLog()", () => {
  test.each<[LogFormat, string]>([
    [
      "json",
      '{"level":"warn","time":"TIME","collector":"key","target":"b","count":2,"msg":"Cannot read \\"b\\"\\n"}\n',
    ],
    ["logfmt", 'level=warn time=TIME collector=key target=b count=2 msg="Cannot read \\"b\\"\\n"\n'],
  ])("writes one line for each event in %s, with the fields of its parents first", (format, line) => {
    const { log, lines } = logTo("info", format);
    const child = log.child({ collector: "key", target: "a" }).child({ target: "b" });
    child.warn({ count: 2, missing: undefined }, 'Cannot read "b"\n');
    expect(lines.map((text) => text.replace(TIME, "TIME"))).toEqual([line]);
  });

  test.each(LOG_LEVELS)("writes the lines of the level %s and above", (level) => {
    const { log, lines } = logTo(level, "logfmt");
    for (const each of LOG_LEVELS) log[each]({}, "text");
    const levels = lines.map((line) => /^level=(\w+)/.exec(line)?.[1]);
    expect(levels).toEqual(LOG_LEVELS.slice(LOG_LEVELS.indexOf(level)));
  });
});

function limited(perMinute = 2) {
  const clock = createManualClock();
  const { log, lines } = createRecordingLog();
  const limiter = createLineLimiter(log, clock, perMinute);
  const write = (count: number, kind = "refused login", level: "error" | "warn" = "warn") => {
    for (let index = 0; index < count; index++) limiter.write(level, kind, { index }, `Refused ${kind}`);
  };
  return { clock, limiter, lines, write, texts: () => lines.map(({ message }) => message) };
}

describe("createLineLimiter()", () => {
  test("writes the first lines of a kind at once and the number of the others at the end of the minute", async () => {
    const { clock, lines, write, texts } = limited();
    write(2000);
    expect(texts()).toEqual(["Refused refused login", "Refused refused login"]);
    await clock.advance(60_000);
    expect(lines[2]).toEqual({
      level: "warn",
      message: "1998 more lines of this kind: refused login",
      fields: { kind: "refused login", more: 1998 },
    });
    expect(lines).toHaveLength(3);
    expect(clock.pending()).toEqual([]);
  });

  test("counts each kind on its own, and begins again with the next minute", async () => {
    const { clock, write, texts } = limited(1);
    write(1);
    write(2, "lost socket");
    await clock.advance(60_000);
    write(1);
    expect(texts()).toEqual([
      "Refused refused login",
      "Refused lost socket",
      "1 more line of this kind: lost socket",
      "Refused refused login",
    ]);
  });

  test("reports the counted lines at their highest level", async () => {
    const { clock, lines, write } = limited(1);
    write(1);
    write(1, "refused login", "error");
    write(1);
    await clock.advance(60_000);
    write(1, "lost socket", "error");
    write(1, "lost socket");
    await clock.advance(60_000);
    expect(lines.map(({ level }) => level)).toEqual(["warn", "error", "error", "warn"]);
  });

  test("flush reports what was counted and leaves no timer", () => {
    const { clock, limiter, write, texts } = limited(1);
    write(3);
    limiter.flush();
    expect(texts().at(-1)).toBe("2 more lines of this kind: refused login");
    expect(clock.pending()).toEqual([]);
  });
});
