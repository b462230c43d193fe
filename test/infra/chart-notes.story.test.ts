import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseAllDocuments, stringify } from "yaml";
import { z } from "zod";

import { ROOT } from "../support/repository.ts";
import { describeWithTools } from "../support/tools.ts";

const manifest = z.object({
  kind: z.string(),
  metadata: z.object({ name: z.string() }),
  notes: z.string().optional(),
});

/** Objects that the notes name if they are there. */
const KINDS = ["Deployment", "StatefulSet", "ServiceMonitor", "PodMonitor", "PrometheusRule"];

const LEAST = {
  image: "registry.example/aigateway-exporter:0.1.0",
  exporter: { gateway: { base_url: "https://gateway.example/api/v1" } },
  managementSecret: "their-management",
};

const CASES: Readonly<Record<string, object>> = {
  "the least values": {},
  "no key": { managementSecret: "" },
  "a Secret of variables": { managementSecret: "", environmentSecret: "their-environment" },
  "a pod monitor without labels": { scrape: "podMonitor", monitorLabels: { release: null } },
  "annotations and a rule file": { scrape: "annotations", rules: "configMap" },
  "no scrape and no rules": { scrape: "none", rules: "none" },
  "three shards": { shards: 3 },
  "two replicas, a web configuration and annotations": {
    replicas: 2,
    webConfigSecret: "their-web",
    scrape: "annotations",
  },
  "a web configuration and a service monitor": { webConfigSecret: "their-web", rules: "none" },
  "a web configuration without scrapes": { webConfigSecret: "their-web", scrape: "none" },
  "namespaces that may scrape": { scrapeFrom: { team: "metrics" } },
  "namespaces without a network policy": { scrapeFrom: { team: "metrics" }, networkPolicy: false },
};

describeWithTools(["helm"], "the notes of the Helm chart", ({ helm }) => {
  let chart: string;

  // Helm prints notes only when it installs, so the test adds a template with them to a copy of the chart.
  beforeAll(() => {
    chart = join(mkdtempSync(join(tmpdir(), "chart-notes-test-")), "aigateway-exporter");
    cpSync(join(ROOT, "charts", "aigateway-exporter"), chart, { recursive: true });
    const notes = '{{ include (print $.Template.BasePath "/NOTES.txt") . | toJson }}';
    writeFileSync(
      join(chart, "templates", "notes.yaml"),
      `kind: Notes\nmetadata: { name: notes }\nnotes: ${notes}\n`,
    );
  });

  afterAll(() => rmSync(dirname(chart), { recursive: true, force: true }));

  function template(changes: object) {
    const flags = ["--namespace=metrics", "--values=-"];
    const text = execFileSync(helm, ["template", "eu", chart, ...flags], {
      input: stringify({ ...LEAST, ...changes }),
      encoding: "utf8",
      stdio: ["pipe", "pipe", "pipe"],
    });
    const objects = parseAllDocuments(text).map((document) => manifest.parse(document.toJS()));
    return { objects, notes: objects.find(({ kind }) => kind === "Notes")?.notes ?? "" };
  }

  const shown: string[] = [];

  test.each(Object.entries(CASES))("with %s", (name, changes) => {
    const { objects, notes } = template(changes);
    shown.push(`# With ${name}\n${notes}`);

    const known = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    const mentioned = [...notes.matchAll(/\b([A-Z]\w+) "([\w-]+)"/g)]
      .filter(([, kind]) => kind !== "Secret")
      .map(([, kind, object]) => `${kind} ${object}`);
    expect(mentioned.filter((object) => !known.includes(object))).toEqual([]);
    const important = known.filter((object) => KINDS.includes(object.split(" ")[0] ?? ""));
    expect(important.filter((object) => !mentioned.includes(object))).toEqual([]);

    const [, target = ""] = /port-forward (\S+) /.exec(notes) ?? [];
    const workload = target.replace("deployment/", "Deployment ").replace(/pod\/(.*)-0$/, "StatefulSet $1");
    expect(known).toContain(workload);
  });

  test("are those of test/golden/chart-notes.txt", () =>
    expect(shown.join("\n")).toMatchFileSnapshot("../golden/chart-notes.txt"));
});
