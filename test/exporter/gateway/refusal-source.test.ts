import { expect, test } from "vitest";
import { probeOnce } from "../../../exporter/cli/probe.ts";
import { createGateway } from "../../../exporter/gateway/gateway.ts";
import { createManualClock } from "../../support/clock.ts";
import { secretSource } from "../../support/gateway-client.ts";
import { startSimulatedGateway } from "../../support/simulated-gateway.ts";
import { startTestApp } from "../../support/test-app.ts";
import { testGatewayConfig } from "../../support/test-config.ts";

test.each([402, 403] as const)("the limit behind a %i is in the log and on the page", async (status) => {
  const app = await startTestApp({
    gateway: () => ({ switches: { exhaustedKeyStatus: status, refusalSources: true } }),
    prepare: (gateway) => {
      gateway.addKey({ name: "spent", limitMicros: 1 });
      gateway.spend({ key: "spent", model: "acme/one", micros: 1, force: true });
    },
  });
  await app.seriesWhen((series) => series.get('aigateway_key_up{key="spent"}') === 0);
  const text = `Cannot read key "spent": gateway answered ${status}: Key limit exceeded (limit: openrouter_key_limit)`;
  const line = app.lines.find(({ message }) => message === text);
  expect(line?.fields).toMatchObject({ status, limitSource: "openrouter_key_limit" });
  expect(await app.page()).toContain("(limit: openrouter_key_limit)");
});

test("the limit and the reason behind the refusal of a probe are in its result", async () => {
  const gateway = await startSimulatedGateway({ switches: { refusalSources: true } });
  gateway.addKey({ name: "ears", inFlightReason: "weight_exceeds_budget" });
  const clock = createManualClock(Date.UTC(2026, 10, 18, 12));
  const real = createGateway(testGatewayConfig({ baseUrl: gateway.url }), {
    clock,
    random: () => 0.5,
    version: "0",
    onAnswer: () => {},
  });
  const probe = {
    name: "hello",
    key: "ears",
    secret: secretSource(gateway.tokens.get("ears") ?? ""),
    model: "acme/ears",
    audio: {
      origin: "the test",
      format: "wav",
      read: () => Promise.resolve({ bytes: new Uint8Array(64), fault: undefined }),
    },
    expectedText: "hello",
    maxWordErrorRate: 0,
    expectedLanguage: undefined,
    responseFormat: "json",
    upload: "json",
    schedule: { kind: "interval", ms: 60_000 },
    timeoutMs: 5000,
  } as const;
  const { ok, text } = await probeOnce(probe, undefined, real, clock);
  await real.close();
  expect(ok).toBe(false);
  expect(text).toMatch(
    /result +failed, payment_required: .*answered 402.* \(limit: openrouter_in_flight_budget, reason: weight_exceeds_budget\)\n/,
  );
});
