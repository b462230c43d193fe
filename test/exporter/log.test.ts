import { describe, expect, test } from "vitest";

import { Secret } from "../../exporter/secrets/secret.ts";
import { createLog, LOG_FORMATS, LOG_LEVELS, type LogFormat, type LogLevel } from "../../exporter/log.ts";

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
