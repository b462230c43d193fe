import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { startChild } from "../support/child.ts";
import { ROOT } from "../support/repository.ts";

describe("the image's content, made as the Dockerfile says", () => {
  test("starts, is healthy and serves metrics", { timeout: 180_000 }, async () => {
    const app = mkdtempSync(join(tmpdir(), "image-test-"));
    onTestFinished(() => rmSync(app, { recursive: true, force: true }));
    const dockerfile = readFileSync(join(ROOT, "Dockerfile"), "utf8");
    for (const path of copiedPaths(dockerfile))
      cpSync(join(ROOT, path), join(app, path), { recursive: true });
    install(app, instruction(dockerfile, /^RUN npm (.+)$/m));

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
        join(app, instruction(dockerfile, /^ENTRYPOINT \["node", "\/app\/(.+)"\]$/m)),
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

/** What is copied from the repository. */
function copiedPaths(dockerfile: string): readonly string[] {
  return [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = ""]) =>
    paths.split(" "),
  );
}

function instruction(dockerfile: string, form: RegExp): string {
  const [, text] = form.exec(dockerfile) ?? [];
  if (text === undefined) throw new Error(`Cannot find "${form.source}" in the Dockerfile`);
  return text;
}

/** `--prefer-offline`: the packages are those of this repository's lock file, which are in the cache already. */
function install(app: string, parameters: string): void {
  const { status, stderr } = spawnSync("npm", [...parameters.split(" "), "--prefer-offline"], {
    cwd: app,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`Cannot install what the image has: ${stderr}`);
}
