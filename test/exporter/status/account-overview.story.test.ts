import { describe, expect, test } from "vitest";
import type { Switches } from "../../gateway/switches.ts";
import { startTestApp } from "../../support/test-app.ts";
import { textOf } from "./page/page-reader.ts";

/** An exporter with one of two keys, and a query with a name that the gateway does not list. */
async function start(switches: Partial<Switches> = {}, discovery: object = {}) {
  const app = await startTestApp({
    analytics: true,
    keys: ["billing"],
    gateway: () => ({ switches }),
    prepare: (gateway) => {
      gateway.addKey({ name: "billing" });
      gateway.addKey({ name: "web", disabled: true });
      gateway.moveCredits({ kind: "purchase", micros: 100_500_000 });
      gateway.spend({ key: "billing", model: "acme/one", micros: 25_750_000 });
    },
    content: () => ({
      discovery,
      analytics: {
        management_key_env: "MANAGEMENT_KEY",
        queries: [{ name: "typo", dimensions: ["modle"], window: "day" }],
      },
    }),
  });
  await app.clock.advance(20_000);
  await app.seriesWhen((series) => series.has('aigateway_discovery_keys{workspace="default"}'));
  await app.clock.advance(20_000);
  await app.clock.answered();
  return { app, page: async () => `${textOf(await app.page())} ${textOf(await app.page("/exporter"))}` };
}

describe("the account on the page of a running exporter", () => {
  test("has balance, lists, queries and what the capabilities lack, beside the listed keys", async () => {
    const { page } = await start();
    const text = await page();
    expect(text).toMatch(/web listed, not polled ○ Disabled/);
    expect(text).not.toContain("billing listed, not polled");
    expect(text).toMatch(/Balance of the account ● Up .{1,20} 74\.75 credits 100\.50 bought, 25\.75 used/);
    expect(text).toMatch(/Keys of the default workspace ● Up .{1,20} 2 keys/);
    expect(text).toMatch(/Query typo ✕ Failing bad_request never answered by modle, today/);
    expect(text).toMatch(
      /Names that queries may use ◆ Warning .{1,20} query "typo" names the dimension "modle"/,
    );
  });

  test("forgets a key that the list no longer has", async () => {
    const { app, page } = await start();
    app.gateway.remove("web");
    await app.clock.runTo(app.clock.now() + 660_000, 20_000);
    expect(await page()).not.toContain("web listed");
  });

  test("assigns listed keys to the teams in their names", async () => {
    const { app } = await start({}, { owner: "^(?<team>we)b" });
    const [page, api] = await Promise.all([app.page("/?team=we"), app.page("/api/v1/status?team=we")]);
    expect(textOf(page)).toMatch(/web we listed, not polled/);
    expect(JSON.parse(api)).toMatchObject({ keys: [{ key: "web", team: "we" }] });
    expect(await app.page("/metrics")).toMatch(/aigateway_key_owner_info\{[^}]*key="web"[^}]*team="we"/);
  });

  test("shows no balance where the gateway has none", async () => {
    const { page } = await start({ missingOperations: ["credits"] });
    expect(await page()).toMatch(/Balance of the account ● Up .{1,20} The gateway does not report it\./);
  });
});
