import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import type { Permits } from "../../../exporter/gateway/port.ts";
import { createClient, PLANTED, secretSource, unlimitedPermits } from "../../support/gateway-client.ts";
import { answering, startScriptedServer, type Step } from "../../support/scripted-server.ts";
import { startRawServer } from "../../support/raw-client.ts";

/** All text of an error that a log, a page or a debugger could show. */
function allTexts(error: unknown): string {
  const parts = [inspect(error, { depth: Infinity, showHidden: true, getters: true }), String(error)];
  for (let at = error; at instanceof Error; at = at.cause) {
    parts.push(at.message, at.stack ?? "", JSON.stringify(Object.entries(at)));
  }
  return parts.join("\n");
}

/** One permit, so that the call fails for the reason of its first attempt. */
function onePermit(): Permits {
  let given = 0;
  return {
    next: (signal, purpose) => {
      given += 1;
      return given > 1 ? Promise.reject(new Error("Paused")) : unlimitedPermits().next(signal, purpose);
    },
  };
}

/** The server repeats the whole header, as a careless service may. */
const echoing =
  (make: (header: string) => Step): Step =>
  (response, request) =>
    make(request.headers.authorization ?? "")(response, request);

describe("an error never contains a credential that the service echoes", () => {
  test.each<[string, Step]>([
    [
      "the message",
      echoing((header) => answering(401, { error: { code: 401, message: `Bad key: ${header}` } })),
    ],
    ["a success that is not JSON", echoing((header) => answering(200, `OK, ${header}`))],
    ["a success of another shape", echoing((header) => answering(200, { data: header, [header]: header }))],
    [
      "a redirect",
      echoing((header) =>
        answering(302, "", { location: `/?key=${encodeURIComponent(header)}`, echo: header }),
      ),
    ],
    ["a body that is too large", echoing((header) => answering(200, `"${header}${"x".repeat(9000)}"`))],
    ["a time-out", echoing((header) => (response) => void response.write(header))],
  ])("in %s", async (name, step) => {
    const server = await startScriptedServer(step);
    const timeoutMs = name === "a time-out" ? 1000 : 10_000;
    const { clientFor, throughRetries } = createClient(
      { baseUrl: server.url, maxBodyBytes: 5000, timeoutMs },
      onePermit(),
    );
    const read = clientFor().currentKey(secretSource(PLANTED));
    const error: unknown = await throughRetries(read).catch((caught: unknown) => caught);
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${PLANTED}`);
    expect(error).toMatchObject({ name: "GatewayError" });
    expect(allTexts(error)).not.toContain(PLANTED);
  });

  test("in an answer that is not HTTP", async () => {
    const baseUrl = await startRawServer((socket, request) => socket.end(`SSH-2.0\r\n${request}`));
    const error = await createClient({ baseUrl }).failing();
    expect(error).toMatchObject({ kind: "bad_response" });
    expect(allTexts(error)).not.toContain(PLANTED);
  });

  test("in rows that cannot be read", async () => {
    const rows = [{ model: [PLANTED], app: null, total_usage: PLANTED }];
    const server = await startScriptedServer(
      answering(200, { data: { data: rows, metadata: { truncated: false, [PLANTED]: PLANTED } } }),
    );
    const { clientFor } = createClient({ baseUrl: server.url });
    const question = { range: { startMs: 0, endMs: 1000 }, pairs: true, total: false, rates: false };
    const error: unknown = await clientFor({ endpoint: "analytics", name: "day" })
      .usage(question, secretSource(PLANTED))
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      kind: "bad_response",
      message: expect.stringContaining('analytics of "day": none of the 1 rows can be read'),
    });
    expect(allTexts(error)).not.toContain(PLANTED);
  });
});
