import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { startChild } from "../support/child.ts";
import { imageRecipe, makeImageContent } from "../support/image-content.ts";

describe("the image's content, made as the Dockerfile says", () => {
  test("starts, is healthy and serves metrics", { timeout: 180_000 }, async () => {
    const app = mkdtempSync(join(tmpdir(), "image-test-"));
    onTestFinished(() => rmSync(app, { recursive: true, force: true }));
    makeImageContent(app);

    expect(readdirSync(join(app, "node_modules"))).not.toContain("vitest");
    expect(readdirSync(join(app, "node_modules"))).not.toContain("@pulumi");
    const config = join(app, "config.yaml");
    writeFileSync(
      config,
      "gateway: { base_url: http://127.0.0.1:9/api/v1 }\nkeys: [{ name: billing, api_key_env: KEY }]\n",
    );
    const exporter = await startChild({
      command: process.execPath,
      arguments: [
        join(app, imageRecipe().entry),
        `--config.file=${config}`,
        "--web.listen-address=127.0.0.1:0",
      ],
      environment: { KEY: "sk-test", NODE_ENV: "production" },
      address: /"url":"http:\/\/(127\.0\.0\.1:\d+)"/,
      healthPath: "/-/healthy",
    });
    onTestFinished(() => exporter.stop());
    const metrics = await (await fetch(`${exporter.url}/metrics`)).text();
    expect(metrics).toContain("aigateway_exporter_build_info{");
  });
});
