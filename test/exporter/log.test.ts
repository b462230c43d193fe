import { describe, expect, test } from "vitest";

import { createLog, LOG_FORMATS } from "../../exporter/log.ts";

describe.each(LOG_FORMATS)("the field error of a log in %s", (format) => {
  test("is written as concealed, in child logs as well", () => {
    const lines: string[] = [];
    const log = createLog("debug", format, { write: (line) => void lines.push(line) }, conceal);
    log.error({ error: String(new Error("Bearer sk-one")) }, "Cannot answer");
    log.child({ collector: "key" }).error({ error: new Error("Bearer sk-one") }, "Cannot poll");
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).toMatch(/error"?[:=]"Error: Bearer \[redacted\]"/);
  });
});

function conceal(text: string): string {
  return text.replaceAll("sk-one", "[redacted]");
}
