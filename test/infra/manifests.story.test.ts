import { execFileSync } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments, stringify } from "yaml";
import { z } from "zod";
import { createRules } from "../../dashboards/rules/index.ts";
import { dashboards } from "../../dashboards/index.ts";
import { createManifests } from "../../infra/kubernetes/manifests.ts";
import { outgoing } from "../../infra/kubernetes/network-policy.ts";
import { readSettings } from "../../infra/settings.ts";
import { ROOT } from "../support/repository.ts";
import { describeWithTools } from "../support/tools.ts";
import { runMocked } from "./mocked-program.ts";
import { type Changes, declared, settingTexts } from "./program-settings.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    labels: z.record(z.string(), z.string()).optional(),
    annotations: z.record(z.string(), z.string()).optional(),
  }),
});
type Manifest = z.output<typeof manifest>;

const LEAST = {
  image: "registry.example/aigateway-exporter:0.1.0",
  exporter: { gateway: { base_url: "https://gateway.example/api/v1" } },
  keysSecret: "their-keys",
};

const VOLUME = { name: "more", emptyDir: {} };
const RULE = { ports: [{ port: 5353, protocol: "UDP" }] };

/** What users of other charts expect. */
const COMMON: Changes = {
  ...LEAST,
  imagePullPolicy: "Always",
  serviceAccount: { create: false, name: "theirs" },
  tlsSecret: "from-cert-manager",
  extraVolumes: [VOLUME],
  extraVolumeMounts: [{ name: "more", mountPath: "/more" }],
  caConfigMap: "theirs",
  environment: { A: "a", NODE_EXTRA_CA_CERTS: "/theirs" },
  extraEnv: [{ name: "A", value: "b" }],
  extraArgs: ["--web.route-prefix=/gw"],
  initContainers: [{ name: "wait", image: "busybox" }],
  topologySpreadConstraints: [{ maxSkew: 2, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule" }],
  networkPolicyEgress: [RULE],
  networkPolicyIngress: [RULE],
  dashboardNamespace: "grafana",
  ruleLabels: { prometheus: "main" },
};

/** Values that the chart and the Pulumi program both know. */
const CASES: Readonly<Record<string, Changes>> = {
  "the least values": LEAST,
  "a management key, a pod monitor, a rule file and other links": {
    ...LEAST,
    managementSecret: "their-management",
    scrape: "podMonitor",
    scrapeInterval: "1m",
    rules: "configMap",
    gateway: "eu",
    podLabels: { tier: "1" },
    podAnnotations: { "k8s.grafana.com/scrape": "true" },
    nodeSelector: { "kubernetes.io/os": "linux" },
    tolerations: [
      { key: "dedicated", operator: "Equal", value: "metrics", effect: "NoSchedule" },
      { operator: "Exists" },
    ],
    priorityClass: "system-cluster-critical",
    environmentSecret: "their-environment",
    caConfigMap: "their-authorities",
    runbookBaseUrl: "https://wiki.example/alerts",
    dashboardBaseUrl: "https://grafana.mine.example/d",
    exporter: { gateway: { base_url: "https://gateway.example:8443/v1" }, analytics: { top: 7 } },
  },
  "annotations, owners, several labels and a pull secret": {
    ...LEAST,
    scrape: "annotations",
    imagePullSecrets: ["one", "two"],
    logLevel: "debug",
    resources: { limits: { memory: "1Gi" } },
    monitorLabels: { release: "mine", tier: "1" },
    alerts: {
      AIGatewayRiskyKeys: { enabled: false },
      AIGatewayKeyExhausted: {
        severity: "info",
        labels: { pager: "off-hours" },
        annotations: { summary: "Gone" },
      },
    },
    dashboardLabels: { a: "b", c: "d" },
    scrapeFrom: { "kubernetes.io/metadata.name": "monitoring" },
    exporter: {
      gateway: { base_url: "https://gateway.example/api/v1", timeout: "5s" },
      keys: [{ name: "billing", owner: { team: "payments", cost_center: "4711" } }, { name: "search" }],
    },
  },
  "a web configuration, variables and fields of the monitor's endpoint": {
    ...LEAST,
    environment: { HTTPS_PROXY: "proxy.example:3128", NO_PROXY: "10.0.0.0/8", TZ: "UTC" },
    webConfigSecret: "their-web",
    gateway: "eu",
    monitorEndpoint: {
      scheme: "https",
      interval: "2m",
      tlsConfig: { ca: { secret: { name: "their-web", key: "ca.crt" } }, insecureSkipVerify: false },
      relabelings: [{ targetLabel: "region", replacement: "eu" }],
    },
  },
  "fields of a pod monitor's endpoint without a gateway, and a proxy on the gateway's port": {
    ...LEAST,
    scrape: "podMonitor",
    caConfigMap: "their-authorities",
    environment: { http_proxy: "[2001:db8::1]:8080", https_proxy: "HTTPS://proxy.example/" },
    monitorEndpoint: { metricRelabelings: [{ action: "labeldrop", regex: "app" }] },
  },
  "three shards": {
    ...LEAST,
    shards: 3,
    webConfigSecret: "their-web",
    environment: { NODE_OPTIONS: "--max-semi-space-size=2" },
    priorityClass: "system-cluster-critical",
    environmentSecret: "their-environment",
    caConfigMap: "their-authorities",
  },
  "two replicas and a management key": { ...LEAST, replicas: 2, managementSecret: "their-management" },
  "two replicas of four shards with keys": {
    ...LEAST,
    shards: 4,
    replicas: 2,
    exporter: { ...LEAST.exporter, keys: [{ name: "billing" }] },
  },
  "what users of other charts expect": {
    ...COMMON,
    podSecurityContext: {},
    securityContext: {},
    commonLabels: { tier: "1", "app.kubernetes.io/name": "theirs" },
  },
  "a named account with annotations, and the rules' labels on a rule file": {
    ...LEAST,
    rules: "configMap",
    ruleLabels: { prometheus: "main" },
    serviceAccount: { name: "mine", annotations: { role: "reader" } },
    securityContext: { readOnlyRootFilesystem: true },
  },
  "only the pod": {
    ...LEAST,
    scrape: "none",
    rules: "none",
    dashboardConfigMaps: false,
    networkPolicy: false,
    resources: {},
  },
};

describe.each(Object.entries(CASES))("manifests with %s", (_name, changes) => {
  test("are what the Pulumi program deploys, without the namespace", async () => {
    const registered = await runMocked(changes, dashboards);
    const objects = registered.flatMap(({ type, inputs }) =>
      type.startsWith("pulumi:") || type.endsWith(":Namespace") ? [] : manifest.parse(inputs),
    );
    // The label `gateway` is by default the name of the stack.
    expect(sorted(manifestsOf({ gateway: "test", ...changes }, "pulumi"))).toEqual(
      sorted(objects.map(withoutStack)),
    );
  });
});

describeWithTools(["helm"], "the Helm chart", ({ helm }) => {
  const chart = join(ROOT, "charts", "aigateway-exporter");
  const template = (values: Changes, release = "aigateway-exporter") =>
    execFileSync(helm, ["template", release, chart, "-n", "aigateway-exporter", "-f", "-"], {
      input: stringify(withNulls(values)),
      encoding: "utf8",
      stdio: ["pipe", "pipe", "pipe"],
    });

  test.each(Object.entries(CASES))("makes the manifests with %s", (_name, changes) => {
    const objects = objectsOf(template(changes)).filter(({ metadata }) => !metadata.name.endsWith("-test"));
    expect(sorted(objects)).toEqual(sorted(manifestsOf(changes, "Helm")));
  });

  test("keeps the variables of keys if there is no Secret of keys", () => {
    const keys = [{ name: "billing", api_key_env: "BILLING_KEY" }];
    const exporter = { ...LEAST.exporter, keys };
    const text = template({ ...LEAST, keysSecret: "", environmentSecret: "their-keys", exporter });
    const [config] = parseAllDocuments(text).flatMap(
      (document) =>
        z.object({ data: z.object({ "config.yaml": z.string() }) }).safeParse(document.toJS()).data ?? [],
    );
    expect(parse(config?.data["config.yaml"] ?? "")).toMatchObject({ keys });
  });

  test.each([
    ["true", {}, "true"],
    ["null", {}, "null"],
    ["a", { nameOverride: "b" }, "a-b"],
    ["1gw.eu", { fullnameOverride: "gateway" }, "gateway"],
    ["a".repeat(53), { shards: 2 }, "a".repeat(52)],
    ["a".repeat(53), { nameOverride: "eu" }, `${"a".repeat(49)}-eu`],
  ])("of the release %s with %j names its objects %s", (release, changes, name) => {
    const objects = objectsOf(template({ ...LEAST, ...changes }, release));
    const names = objects.map(({ metadata }) => metadata.name);
    expect(names.filter((each) => each !== name && !/-(?:dashboard-.*|test)$/.test(each))).toEqual([]);
    expect(objects.map(({ metadata }) => metadata.labels?.["app.kubernetes.io/instance"])).toEqual(
      names.map(() => name),
    );
  });

  test("refuses a release whose name no Service can have", () => {
    expect(() => template(LEAST, "1gw.eu")).toThrow(
      /"1gw\.eu": a name begins with a letter.*set fullnameOverride/,
    );
  });

  test("twice a dependency under two aliases makes objects that do not meet, if their condition holds", () => {
    const parent = temporaryFolder();
    cpSync(chart, join(parent, "charts", "aigateway-exporter"), { recursive: true });
    const dependencies = ["eu", "us"].map((alias) => {
      return { name: "aigateway-exporter", version: "*", alias, condition: `${alias}.enabled` };
    });
    writeFileSync(
      join(parent, "Chart.yaml"),
      stringify({ apiVersion: "v2", name: "parent", version: "1.0.0", dependencies }),
    );
    const render = (us: boolean) =>
      objectsOf(
        execFileSync(helm, ["template", "r".repeat(53), parent, "-f", "-"], {
          input: stringify({ eu: { ...LEAST, enabled: true }, us: { ...LEAST, enabled: us } }),
          encoding: "utf8",
          // The dashboards, twice.
          maxBuffer: 2 ** 26,
        }),
      );
    const both = render(true).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(both).size).toBe(both.length);
    expect(render(false)).toHaveLength(both.length / 2);
  });

  test("makes texts of labels and annotations, whatever they are written as, and each of them once", () => {
    const [deployment, monitor] = ["Deployment", "ServiceMonitor"].map((kind) =>
      objectsOf(
        template({
          ...LEAST,
          scrape: kind === "Deployment" ? "annotations" : "serviceMonitor",
          podAnnotations: { x: true, "prometheus.io/scrape": "true", big: 1_000_000 },
          podLabels: { "app.kubernetes.io/name": "theirs", rank: 7 },
          nodeSelector: { gpu: true },
          monitorLabels: { release: 42 },
          commonLabels: { team: "a", rank: 1 },
        }),
      ).find((object) => object.kind === kind),
    );
    expect(deployment).toMatchObject({
      metadata: { labels: { team: "a", rank: "1" } },
      spec: {
        template: {
          metadata: {
            annotations: { x: "true", big: "1000000", "prometheus.io/scrape": "true" },
            labels: { team: "a", rank: "7", "app.kubernetes.io/name": "aigateway-exporter" },
          },
          spec: { nodeSelector: { gpu: "true" } },
        },
      },
    });
    expect(monitor?.metadata.labels).toMatchObject({ release: "42", team: "a" });
  });

  test("has the values that users of other charts expect", () => {
    const all = objectsOf(
      template({
        ...COMMON,
        imagePullSecrets: ["one", { name: "two" }],
        podSecurityContext: null,
        securityContext: null,
        resources: null,
      }),
    );
    const of = (kind: string) => all.filter((object) => object.kind === kind);
    expect(of("ServiceAccount")).toEqual([]);
    expect(of("NetworkPolicy")[0]).toMatchObject({
      spec: { ingress: [{}, RULE], egress: [{}, {}, RULE] },
    });
    expect(of("ConfigMap").map(({ metadata }) => metadata["namespace"])).toContain("grafana");
    expect(of("PrometheusRule")[0]?.metadata.labels).toMatchObject({ prometheus: "main" });
    const text = JSON.stringify(of("Deployment")[0]);
    expect(text).not.toContain("securityContext");
    for (const part of [
      '"imagePullSecrets":[{"name":"one"},{"name":"two"}]',
      '"serviceAccountName":"theirs"',
      '"env":[{"name":"NODE_EXTRA_CA_CERTS","value":"/theirs"},{"name":"A","value":"b"}]',

      '"--web.config.file=/etc/aigateway-exporter/web-config.yaml","--web.route-prefix=/gw"]',
      '"livenessProbe":{"tcpSocket":{"port":"metrics"}',
      '{"emptyDir":{},"name":"more"}]',
    ])
      expect(text).toContain(part);
  });

  test("has no complaints of helm lint", () => {
    const values = stringify(LEAST);
    const printed = execFileSync(helm, ["lint", "--strict", chart, "-f", "-"], {
      input: values,
      encoding: "utf8",
    });
    expect(printed).toContain("0 chart(s) failed");
  });
});

function objectsOf(text: string): readonly Manifest[] {
  return parseAllDocuments(text).map((document) => manifest.parse(document.toJS()));
}

/** Helm adds the entries of a value to the default ones, unless they are null. */
function withNulls(values: Changes): Changes {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const entries = z.record(z.string(), z.unknown()).safeParse(declared[name]?.default);
      const own = z.record(z.string(), z.unknown()).safeParse(value);
      if (!entries.success || !own.success) return [name, value];
      return [
        name,
        { ...Object.fromEntries(Object.keys(entries.data).map((key) => [key, null])), ...own.data },
      ];
    }),
  );
}

function manifestsOf(changes: Changes, manager: string): readonly Manifest[] {
  const texts = new Map(Object.entries(settingTexts(changes)));
  const { kubernetes: settings, rules } = readSettings((name) => texts.get(name));
  if (!settings) throw new Error("Expected settings for Kubernetes");
  const mounted = { keys: nameOf(settings.keys), management: nameOf(settings.management) };
  return createManifests({
    settings,
    outgoing: outgoing(settings),
    mounted,
    rules: createRules(rules),
    dashboards,
    manager,
  }).map((each) => manifest.parse(each));
}

function nameOf(secret: { readonly kind: string; readonly name?: string } | undefined): string | undefined {
  return secret?.name;
}

/** Pulumi's own annotations, and those of the stack that owns an object, are not part of a manifest. */
function withoutStack(object: Manifest): Manifest {
  const { annotations = {}, ...metadata } = object.metadata;
  const others = Object.entries(annotations).filter(([name]) => !/^pulumi|\/(stack|content)$/.test(name));
  return { ...object, metadata: { ...metadata, annotations: Object.fromEntries(others) } };
}

/** Objects by kind and name. Null, {} and [] mean the same to the API server, and the configuration is compared as data. */
function sorted(objects: readonly Manifest[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    objects.map((object) => {
      const text = JSON.stringify(object, (name, value: unknown) => {
        if (name === "config.yaml" && typeof value === "string") return parse(value);
        const isEmpty =
          value === null || (typeof value === "object" && Object.keys(value ?? {}).length === 0);
        return isEmpty ? undefined : value;
      });
      return [`${object.kind} ${object.metadata.name}`, JSON.parse(text)];
    }),
  );
}
