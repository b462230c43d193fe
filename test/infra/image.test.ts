import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { createGateway, type Gateway } from "../gateway/gateway.ts";
import { type ExporterFiles, writeExporterFiles } from "../support/exporter-files.ts";
import { runExporter, startExporter } from "../support/exporter-process.ts";
import { hashedPassword } from "../support/hashed-password.ts";
import { imageParameters, makeImageContent } from "../support/image-content.ts";
import { ROOT, sourceFiles } from "../support/repository.ts";

/** Generous, because packages are installed and programs start slowly on a busy machine. */
const PATIENCE_MS = 300_000;

describe("the image's content, built as in the Dockerfile", { timeout: PATIENCE_MS }, () => {
  let app: string;
  let program: readonly string[];
  let gateway: Gateway;
  let files: ExporterFiles;
  let flags: readonly string[];

  beforeAll(async () => {
    app = mkdtempSync(join(tmpdir(), "image-test-"));
    makeImageContent(app);
    program = imageParameters(app);
    gateway = createGateway();
    gateway.addKey({ name: "ears" });
    await gateway.start();
    files = writeExporterFiles({
      gatewayUrl: gateway.url,
      tokens: gateway.tokens,
      content: {
        probes: [{ name: "sample", key: "ears", model: "acme/ear" }],
        probe_spend: { max_cost_per_day: 1, max_cost_per_probe: 0.01 },
      },
    });
    const web = join(files.directory, "web.yaml");
    writeFileSync(web, JSON.stringify({ basic_auth_users: { alice: hashedPassword("one") } }));
    flags = [`--config.file=${files.configFile}`, `--web.config.file=${web}`];
  }, PATIENCE_MS);

  afterAll(async () => {
    await gateway?.stop();
    files?.remove();
    rmSync(app, { recursive: true, force: true });
  });

  const run = (...parameters: readonly string[]) => runExporter(parameters, files.environment, program);

  test("has no development packages and only files that run", () => {
    expect(readdirSync(app).toSorted()).toEqual([
      "LICENSE",
      "dashboards",
      "exporter",
      "node_modules",
      "package.json",
    ]);
    expect(readdirSync(join(app, "node_modules"))).not.toContain("vitest");
    expect(readdirSync(join(app, "node_modules"))).not.toContain("@pulumi");
    expect(filesOf(join(app, "exporter"))).toEqual(
      filesOf(join(ROOT, "exporter"))
        .filter((path) => !path.endsWith(".md"))
        .map((path) => path.replace(/\.ts$/, ".js")),
    );
  });

  test("has the code and the licences of its packages, without types, maps, tests and documents", () => {
    const found = filesOf(join(app, "node_modules"));
    expect(found.filter((path) => /\.(?:[cm]?ts|map)$|(?:^|\/)(?:test|docs|examples)\//.test(path))).toEqual(
      [],
    );
    const packages = found.filter((path) => /^(?:@[^/]+\/)?[^/]+\/package\.json$/.test(path)).map(dirname);
    expect(packages.length).toBeGreaterThanOrEqual(8);
    expect(packages.filter((name) => !found.some((path) => isLicence(name, path)))).toEqual([]);
    const bytes = found.reduce((sum, path) => sum + statSync(join(app, "node_modules", path)).size, 0);
    expect(bytes).toBeLessThan(7_000_000);
  });

  test("keeps every line's length, and refers to no TypeScript file", () => {
    const sources = sourceFiles(["exporter"]);
    const stripped = sources.map(({ path }) => readFileSync(join(app, path.replace(/ts$/, "js")), "utf8"));
    expect(sources.length).toBeGreaterThan(100);
    expect(stripped.map(lineLengths)).toEqual(sources.map(({ text }) => lineLengths(text)));
    expect(stripped.filter((text) => /\.ts["']/.test(text))).toEqual([]);
  });

  test("prints its version and checks a configuration", async () => {
    const version = `aigateway-exporter ${packageJson.version}\n`;
    expect(await run("--version")).toEqual({ code: 0, stdout: version, stderr: "" });
    const checked = await run("check", ...flags);
    expect(checked).toMatchObject({ code: 0, stderr: "" });
    expect(checked.stdout).toContain("is valid: 1 key, 1 probe\n");
    expect(checked.stdout).toContain("is valid: plain HTTP, 1 user\n");
  });

  test("contains the sample for probes", async () => {
    const { code, stdout } = await run("probe", "sample", flags[0] ?? "");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^result +success$/m);
    expect(gateway.books.transcriptions()).toHaveLength(1);
  });

  test("serves, and contains the lazily loaded parts: password comparison and status page", async () => {
    const exporter = await startExporter(flags, { ...files.environment, NODE_ENV: "production" }, program);
    onTestFinished(async () => void (await exporter.stop()));
    const ask = (path: string, password: string) => {
      const authorization = `Basic ${Buffer.from(`alice:${password}`).toString("base64")}`;
      return fetch(exporter.url + path, { headers: { authorization } });
    };
    expect((await ask("/metrics", "two")).status).toBe(401);
    expect(await (await ask("/metrics", "one")).text()).toContain("aigateway_exporter_build_info{");
    expect(await (await ask("/", "one")).text()).toContain("<html");
  });
});

function filesOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
}

function isLicence(name: string, path: string): boolean {
  return dirname(path) === name && /^licen[cs]e/i.test(basename(path));
}

function lineLengths(text: string): readonly number[] {
  return text.split("\n").map((line) => line.length);
}
