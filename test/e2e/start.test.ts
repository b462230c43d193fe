import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createGateway } from "../gateway/gateway.ts";
import { writeExporterFiles } from "../support/exporter-files.ts";
import { runExporter, startExporter } from "../support/exporter-process.ts";
import { until } from "../support/until.ts";

const textAt = async (url: string) => (await fetch(url)).text();

test("one missing secret is one failing key, below the path of a proxy, until its file is there", async () => {
  const gateway = createGateway();
  const [billing = "", search = ""] = ["billing", "search"].map((name) => gateway.addKey({ name }));
  await gateway.start();
  onTestFinished(() => gateway.stop());
  const files = writeExporterFiles({
    url: gateway.url,
    tokens: new Map(),
    content: {
      keys: [
        { name: "billing", api_key_file: "ok" },
        { name: "search", api_key_file: "gone" },
      ],
      schedule: { keys: "1s" },
    },
  });
  onTestFinished(() => files.remove());
  // As an editor of Windows and a file for a shell leave it.
  writeFileSync(join(files.directory, "ok"), `\uFEFF"${billing}"\r\n`);
  const config = `--config.file=${files.configFile}`;
  const checked = await runExporter(["check", config]);
  expect(checked).toMatchObject({ code: 1, stderr: expect.stringContaining("keys[1].api_key_file: file") });
  const exporter = await startExporter([config, "--web.external-url=https://monitor.example/gw/"], {});
  onTestFinished(async () => void (await exporter.stop()));
  const root = `${exporter.url}/gw`;
  const metrics = await until(
    "both keys",
    () => textAt(`${root}/metrics`),
    (text) => text.includes('key_up{key="billing"} 1') && text.includes('key_up{key="search"} 0'),
  );
  expect(metrics).toContain('poll_failures_total{collector="key",reason="secret_unreadable"}');
  expect(await textAt(`${root}/`)).toContain("does not exist");
  for (const page of [`${root}/`, `${root}/keys/billing`, `${root}/keys/nobody`]) {
    const links = [...(await textAt(page)).matchAll(/<(?:a|form)[^>]* (?:href|action)="([^"]*)"/g)];
    expect(links.length).toBeGreaterThan(2);
    for (const [, link = ""] of links) {
      // Relative, so that they also work below a path that a proxy takes away.
      expect(link).toMatch(/^\.\.?\//);
      const status = link.endsWith("/nobody") ? 404 : 200;
      expect([link, (await fetch(new URL(link, page))).status]).toEqual([link, status]);
    }
  }
  expect((await fetch(`${exporter.url}/metrics`)).status).toBe(404);
  expect((await fetch(`${exporter.url}/-/ready`)).status).toBe(200);
  expect((await fetch(exporter.url)).url).toBe(`${root}/`);
  writeFileSync(join(files.directory, "gone"), search);
  await until(
    "the key",
    () => textAt(`${root}/metrics`),
    (text) => text.includes('key_up{key="search"} 1'),
  );
});
