import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

import { dashboards } from "../dashboards/index.ts";
import { JOB } from "../dashboards/rules/settings.ts";
import { parseCommandLine } from "../exporter/cli/command-line.ts";
import { DEFAULT_PORT } from "../exporter/config/schema.ts";
import { parseConfig } from "../exporter/config/parse.ts";
import { ROOT } from "./support/repository.ts";
import { describeWithTools } from "./support/tools.ts";

const service = z.strictObject({
  image: z
    .string()
    .regex(/:v?\d+\.\d+\.\d+$/)
    .optional(),
  build: z.literal(".").optional(),
  command: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()).optional(),
  volumes: z.array(z.string().regex(/^[\w./-]+:\/[\w./-]+(?::ro)?$/)),
  ports: z.array(z.string().regex(/^127\.0\.0\.1:\d+:\d+$/)),
  read_only: z.boolean().optional(),
  cap_drop: z.array(z.string()).optional(),
  security_opt: z.array(z.string()).optional(),
  ulimits: z.strictObject({ core: z.literal(0) }).optional(),
  restart: z.string(),
});
const compose = z
  .strictObject({ services: z.record(z.string(), service), volumes: z.record(z.string(), z.null()) })
  .parse(parse(read("compose.yaml")));
const mounts = Object.entries(compose.services).flatMap(([name, { volumes }]) =>
  volumes.map((volume) => {
    const [source = "", target = "", mode = "rw"] = volume.split(":");
    return { name, source, target, mode };
  }),
);

describe("compose.yaml", () => {
  test.each(mounts.filter(({ source }) => source.startsWith(".")))(
    "$name mounts the existing path $source read-only",
    ({ source, mode }) => {
      expect(existsSync(join(ROOT, source))).toBe(true);
      expect(mode).toBe("ro");
    },
  );

  test("declares the volumes that it mounts", () => {
    const named = mounts.map(({ source }) => source).filter((source) => !source.startsWith("."));
    expect(Object.keys(compose.volumes)).toEqual(named);
  });

  test.each(["exporter", "prometheus", "alertmanager"])(
    "%s gets the path of a mounted configuration",
    (name) => {
      const command = compose.services[name]?.command ?? [];
      const file = command.find((each) => each.startsWith("--config.file="))?.replace("--config.file=", "");
      expect(mounts.filter((mount) => mount.name === name).map(({ target }) => target)).toContain(file);
    },
  );

  test("the exporter has a valid command line and configuration, and listens on the published port", () => {
    const line = parseCommandLine(compose.services["exporter"]?.command ?? []);
    expect(line.command).toBe("run");
    expect(parseConfig(read("examples/compose/exporter.yaml"))).toMatchObject({ ok: true });
    expect(compose.services["exporter"]?.ports).toEqual([`127.0.0.1:${DEFAULT_PORT}:${DEFAULT_PORT}`]);
  });

  test("every dashboard is mounted in the folder that Grafana's provisioning reads", () => {
    const { providers } = z
      .object({ providers: z.tuple([z.object({ options: z.object({ path: z.string() }) })]) })
      .parse(parse(read("examples/compose/grafana/dashboards.yaml")));
    const provided = mounts.filter(({ target }) => target.startsWith(`${providers[0].options.path}/`));
    expect(provided.map(({ source }) => source)).toEqual(
      dashboards.map(({ uid }) => `./dashboards/generated/${uid}.json`),
    );
  });

  test("services refer to each other by their names in compose.yaml", () => {
    const texts = ["prometheus.yaml", "grafana/data-source.yaml"]
      .map((file) => read(`examples/compose/${file}`))
      .join("\n");
    const names = [...texts.matchAll(/(?:"|\/\/)(\w+):\d+/g)].map(([, name = ""]) => name);
    expect(names.toSorted()).toEqual(["alertmanager", "exporter", "prometheus"]);
    expect(texts).toContain(`job_name: ${JOB}\n`);
  });
});

describeWithTools(["promtool2", "promtool3", "amtool"], "the files that compose.yaml mounts", (tools) => {
  const run = promisify(execFile);

  test.each([
    ["Prometheus 2", tools.promtool2, ["check", "config", "--syntax-only", mounted("prometheus.yaml")]],
    ["Prometheus 3", tools.promtool3, ["check", "config", "--syntax-only", mounted("prometheus.yaml")]],
    ["Alertmanager", tools.amtool, ["check-config", mounted("alertmanager.yaml")]],
  ])("%s accepts its configuration", async (_name, tool, parameters) => {
    await expect(run(tool, parameters)).resolves.toBeDefined();
  });
});

function mounted(name: string): string {
  return join(ROOT, "examples", "compose", name);
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}
