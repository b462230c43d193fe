import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { launch } from "./support/child.ts";
import { runExporter } from "./support/exporter-process.ts";
import { listenOnLoopback } from "./support/loopback.ts";
import { until } from "./support/until.ts";

describe("npm run demo", () => {
  test("shows a page and changing metrics, and closes both ports on Ctrl-C", async () => {
    const demo = startDemo("--port", "0", "--gateway-port", "0");
    const stdout = await until("the welcome", demo.stdout, (text) => text.includes("Ctrl-C"));
    const [pageUrl = "", metricsUrl = "", gatewayUrl = ""] = ["Status page", "Metrics", "Gateway"].map(
      (name) => new RegExp(`${name} +(http://127\\.0\\.0\\.1:\\d+/\\S*)`).exec(stdout)?.[1],
    );

    const first = await until(
      "a spend",
      () => spendOf(metricsUrl),
      (credits) => credits > 0,
    );
    await until(
      "more spend",
      () => spendOf(metricsUrl),
      (credits) => credits > first,
    );
    const page = await until(
      "all answers of the first round",
      () => textAt(pageUrl),
      (text) => text.includes('id="month"') && !/id="keys"[\s\S]*Waiting/.test(text),
    );
    expect(page).toMatch(/onboarding[\s\S]*unauthorized/);
    expect(page).toMatch(/web[\s\S]*Used up/);
    expect(page).toContain("unlimited");
    const [, budgets = ""] = /id="budgets"([\s\S]*?)<\/section>/.exec(page) ?? [];
    for (const name of ["reasoning", "payments-month", "prepaid"]) expect(budgets).toContain(`>${name}<`);
    const [, probes = ""] = /id="probes"([\s\S]*?)<\/section>/.exec(await textAt(`${pageUrl}exporter`)) ?? [];
    for (const name of ["good-ears", "poor-ears"]) {
      expect(probes).toContain(`>${name}<`);
      expect(await textAt(metricsUrl)).toContain(`aigateway_probe_info{probe="${name}",`);
    }
    const [, report = ""] = /npm start --silent -- (report .+)/.exec(stdout) ?? [];
    expect((await runExporter(report.split(" "))).stdout).toMatch(/,named,payments,\d+\.\d{6},/);
    expect(`${stdout}${page}${await textAt(metricsUrl)}`).not.toContain("sk-sim");

    demo.child.kill("SIGINT");
    expect(await demo.ended).toBe(0);
    expect(demo.stderr()).toBe("");
    for (const url of [pageUrl, gatewayUrl]) await expect(fetch(url)).rejects.toThrow("fetch failed");
  });

  test.each([["--port", "--gateway-port"]])(
    "explains what to do if the port of %s is in use",
    async (flag, other) => {
      const holder = await listenOnLoopback(createServer());
      const demo = startDemo(flag, String(holder.port), other, "0");
      expect(await demo.ended).toBe(1);
      expect(demo.stderr()).toBe(
        `Cannot listen on 127.0.0.1:${holder.port}: the port is in use. Stop the program that uses it, choose another port (${flag}), ` +
          "or use free ports: npm run demo -- --port 0 --gateway-port 0\n",
      );
      expect(demo.stdout()).toBe("");
      await holder.stop();
    },
  );
});

function startDemo(...argv: readonly string[]) {
  const demo = launch(process.execPath, [fileURLToPath(new URL("demo.ts", import.meta.url)), ...argv]);
  onTestFinished(() => void demo.child.kill("SIGKILL"));
  return demo;
}

/** All-time credits of all keys. */
async function spendOf(metricsUrl: string): Promise<number> {
  const samples = (await textAt(metricsUrl)).matchAll(/^aigateway_key_usage_credits\{.*\} (\S+)$/gm);
  return [...samples].reduce((sum, [, value]) => sum + Number(value), 0);
}

async function textAt(url: string): Promise<string> {
  return (await fetch(url)).text();
}
