import { expect, onTestFinished, test } from "vitest";
import { createApp } from "../../exporter/app.ts";
import { createManualClock } from "../support/clock.ts";
import { createRecordingLog } from "../support/log.ts";
import { testConfig } from "../support/test-config.ts";

test("requests that cannot be answered for lack of open files are a few lines, which count all of them", async () => {
  const clock = createManualClock();
  const { log, lines } = createRecordingLog();
  let isExhausted = false;
  const app = createApp(testConfig(), {
    clock,
    random: () => 0.5,
    log,
    build: { version: "1", revision: "", nodeVersion: "" },
    listen: [{ host: "127.0.0.1", port: 0 }],
    telemetryPath: "/metrics",
    web: {
      isSecure: false,
      isUpToDate: () => true,
      current: () =>
        isExhausted
          ? Promise.reject(new Error("EMFILE: too many open files"))
          : Promise.resolve({ tls: undefined, headers: new Map(), users: new Map() }),
    },
  });
  await app.start();
  onTestFinished(() => app.stop());
  isExhausted = true;
  for (let each = 0; each < 200; each++) expect((await fetch(app.url())).status).toBe(500);
  await clock.advance(60_000);
  const unanswered = lines.filter(({ level }) => level === "error");
  expect(unanswered.length).toBeLessThanOrEqual(6);
  expect(unanswered.at(-1)?.message).toBe(
    `${201 - unanswered.length} more lines of this kind: Cannot answer a request`,
  );
  isExhausted = false;
  expect((await fetch(`${app.url()}/metrics`)).status).toBe(200);
});
