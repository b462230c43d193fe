import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { dashboards } from "../dashboards/index.ts";
import { JOB } from "../dashboards/rules/settings.ts";
import { DEFAULT_PORT } from "../exporter/config/schema.ts";
import { parseConfig } from "../exporter/config/parse.ts";
import { ROOT } from "./support/repository.ts";
import { describeWithTools } from "./support/tools.ts";
import { calledCommand } from "./exporter/cli/terminal-double.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

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

const BackfillCall = z.tuple([
  z.literal("backfill"),
  z.looseObject({ request: z.looseObject({ instance: z.string(), days: z.number() }) }),
  z.looseObject({ configFile: z.string() }),
]);

describe("compose.yaml", () => {
  test.each(mounts.filter(({ source }) => source.startsWith(".")))(
    "$name mounts the existing folder $source read-only",
    ({ source, mode }) => {
      // A mounted file still shows the old content after an editor has replaced it.
      expect(statSync(join(ROOT, source)).isDirectory()).toBe(true);
      expect(mode).toBe("ro");
    },
  );

  test("the exporter has a valid command line and configuration, and listens on the published port", async () => {
    const { called } = await calledCommand(compose.services["exporter"]?.command ?? []);
    expect(called[0]).toBe("run");
    expect(parseConfig(read("examples/compose/exporter/config.yaml"))).toMatchObject({ ok: true });
    expect(compose.services["exporter"]?.ports).toEqual([`127.0.0.1:${DEFAULT_PORT}:${DEFAULT_PORT}`]);
  });

  test("only the exporter gets the management key that its configuration names", () => {
    const [, name = ""] =
      /management_key_env: (\w+)/.exec(read("examples/compose/exporter/config.yaml")) ?? [];
    expect(compose.services["exporter"]?.environment).toEqual({ [name]: `\${${name}:-}` });
    expect(read("compose.yaml").split(name)).toHaveLength(3);
  });

  test("only the exporter gets the folder of the keys, which nobody commits", () => {
    const keys = sourceOf("exporter", "/etc/aigateway-exporter/keys");
    expect(read("examples/compose/exporter/config.yaml")).toContain(`\nkeys_dir: ${basename(keys)}\n`);
    expect(readFileSync(join(keys, ".gitignore"), "utf8")).toMatch(/^\*$/m);
    const services = mounts.filter(({ source }) => keys.startsWith(join(ROOT, source)));
    expect(services.map(({ name }) => name)).toEqual(["exporter"]);
  });

  test("Prometheus reads the shipped rules", () => {
    const [, path = ""] =
      /rule_files: \[(.+)\]/.exec(read("examples/compose/prometheus/prometheus.yaml")) ?? [];
    expect(sourceOf("prometheus", path)).toBe(join(ROOT, "dashboards/generated/rules.yaml"));
  });

  test("Grafana accepts no login with its default password", () => {
    const { environment } = compose.services["grafana"] ?? {};
    expect(environment?.["GF_AUTH_DISABLE_LOGIN_FORM"]).toBe("true");
    expect(environment?.["GF_AUTH_BASIC_ENABLED"]).toBe("false");
  });

  test("Grafana's provisioning reads a folder with every dashboard and no other JSON", () => {
    const { providers } = z
      .object({ providers: z.tuple([z.object({ options: z.object({ path: z.string() }) })]) })
      .parse(parse(read("examples/compose/grafana/provisioning/dashboards/aigateway.yaml")));
    const files = readdirSync(sourceOf("grafana", providers[0].options.path));
    expect(files.filter((name) => name.endsWith(".json"))).toEqual(
      dashboards.map(({ uid }) => `${uid}.json`).toSorted(),
    );
    const home = compose.services["grafana"]?.environment?.["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"];
    expect(existsSync(sourceOf("grafana", home ?? ""))).toBe(true);
  });
});

describe("the past of docs/backfill.md for compose.yaml", () => {
  const [, text = ""] =
    /### With Docker Compose[\s\S]*?```sh\n([\s\S]*?)```/.exec(read("docs/backfill.md")) ?? [];
  const lines = text.trimEnd().split("\n");
  const [write = "", build = ""] = lines.filter((line) => line.includes(" run "));

  test("is written with the labels of the live series, for as long as Prometheus keeps", async () => {
    const [, parameters = ""] = / exporter (backfill .*)$/.exec(write) ?? [];
    const { called } = await calledCommand(parameters.split(" "));
    const [, order, options] = BackfillCall.parse(called);
    expect(order).toMatchObject({ url: "http://prometheus:9090", output: "/past" });
    expect(order.request).toMatchObject({ job: JOB, gateway: "", format: "openmetrics" });
    expect(read("examples/compose/prometheus/prometheus.yaml")).toContain(
      `targets: ["${order.request.instance}"]`,
    );
    expect(existsSync(sourceOf("exporter", options.configFile))).toBe(true);
    const [, kept = ""] = /retention\.time=(\d+)d/.exec(read("compose.yaml")) ?? [];
    expect(order.request.days + 1).toBeLessThanOrEqual(Number(kept));
  });

  test("may be written by the image, whose Node otherwise writes no files", async () => {
    const folder = temporaryFolder();
    const [, options = ""] = / --env NODE_OPTIONS=(\S+) /.exec(write) ?? [];
    const [, entrypoint = ""] = /^ENTRYPOINT (\[.*\])$/m.exec(read("Dockerfile")) ?? [];
    const flags = z.array(z.string()).parse(JSON.parse(entrypoint)).slice(1, -1);
    expect(flags).toContain("--permission");
    const script = `require("node:fs").writeFileSync(${JSON.stringify(join(folder, "day.om"))}, "")`;
    const run = (allowed: string) =>
      promisify(execFile)(process.execPath, [...flags, "--eval", script], {
        env: { ...process.env, NODE_OPTIONS: allowed },
      });
    await expect(run("")).rejects.toThrow("ERR_ACCESS_DENIED");
    await run(options.replace("/past", folder));
    expect(readdirSync(folder)).toEqual(["day.om"]);
  });

  test("is imported into the volume of a stopped Prometheus", () => {
    expect(lines.filter((line) => !line.includes("exporter backfill"))).toEqual([
      "mkdir past",
      "docker compose stop prometheus",
      build,
      "docker compose start prometheus",
    ]);
    const [, data = ""] = /create-blocks-from openmetrics "\$day" (\/\w+); done'$/.exec(build) ?? [];
    expect(compose.services["prometheus"]?.command).toContain(`--storage.tsdb.path=${data}`);
    expect(mounts).toContainEqual({ name: "prometheus", source: "prometheus", target: data, mode: "rw" });
  });
});

describeWithTools(["promtool3", "amtool"], "the files that compose.yaml mounts", (tools) => {
  const run = promisify(execFile);

  test.each([
    [
      "Prometheus",
      tools.promtool3,
      ["check", "config", "--syntax-only", mounted("prometheus/prometheus.yaml")],
    ],
    ["Alertmanager", tools.amtool, ["check-config", mounted("alertmanager/alertmanager.yaml")]],
  ])("%s accepts its configuration", async (_name, tool, parameters) => {
    await expect(run(tool, parameters)).resolves.toBeDefined();
  });
});

describeWithTools(["composeGo"], "compose.yaml", ({ composeGo }) => {
  const run = promisify(execFile);

  test("is valid for the parser of docker compose", async () => {
    const { stdout } = await run(composeGo, [join(ROOT, "compose.yaml")]);
    expect(Object.keys(z.object({ services: z.looseObject({}) }).parse(parse(stdout)).services)).toEqual(
      Object.keys(compose.services).toSorted(),
    );
  });
});

/** The path in the repository of a path in a container. */
function sourceOf(name: string, path: string): string {
  const mount = mounts.find((each) => each.name === name && `${path}/`.startsWith(`${each.target}/`));
  return join(ROOT, mount?.source ?? "nothing", path.slice(mount?.target.length));
}

function mounted(name: string): string {
  return join(ROOT, "examples", "compose", name);
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}
