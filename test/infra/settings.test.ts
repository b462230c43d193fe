import { readFileSync } from "node:fs";
import { join } from "node:path";
import { RunError } from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { fields } from "../../infra/setting-fields.ts";
import { readSettings } from "../../infra/settings.ts";
import { ROOT } from "../support/repository.ts";
import { type Changes, declared, LEAST, LEAST_EXPORTER, settingTexts } from "./program-settings.ts";

const GRAFANA = {
  kubernetes: false,
  grafana: true,
  grafanaUrl: "https://grafana.example",
  grafanaAuth: "token",
};

describe("Pulumi.yaml", () => {
  test("declares exactly the settings that the program reads", () => {
    expect(Object.keys(declared).toSorted()).toEqual(Object.keys(fields.shape).toSorted());
  });

  test("has defaults that are valid", () => {
    expect(fields.safeParse(settingTexts()).error?.issues).toBeUndefined();
  });

  test.each(Object.entries(declared))("%s is described in a sentence", (_name, { description }) => {
    expect(description).toMatch(/^[A-Z].*\.$/s);
  });
});

describe("readSettings", () => {
  test("accepts the minimal settings", () => {
    const { kubernetes, grafana, rules } = readSettings(reader(LEAST));
    expect(kubernetes?.config.file.keys.map(({ name }) => name)).toEqual(["billing"]);
    expect(kubernetes?.management).toBeUndefined();
    expect(grafana).toBeUndefined();
    expect(rules).toEqual({});
  });

  test("accepts Grafana alone, without a configuration of the exporter", () => {
    const settings = readSettings(reader({ ...GRAFANA, runbookBaseUrl: "https://runbooks.example" }));
    expect(settings.kubernetes).toBeUndefined();
    expect(settings.grafana?.grafanaUrl).toBe("https://grafana.example");
    expect(settings.rules).toEqual({
      runbookBaseUrl: "https://runbooks.example",
      dashboardBaseUrl: "https://grafana.example/d",
    });
  });

  test("accepts a management key alone", () => {
    const alone = { ...LEAST, keys: {}, managementKey: "sk-m" };
    const { kubernetes } = readSettings(reader(alone));
    expect(kubernetes?.keys).toEqual({ kind: "own", entries: {} });
    expect(kubernetes?.config.text).toBe(
      `gateway:
  base_url: https://gateway.example/api/v1
analytics:
  management_key_file: /run/secrets/aigateway/management/management-key
`,
    );
  });

  test("accepts the whole account: listed keys with owners, queries, and budgets of the account", () => {
    const exporter = {
      ...LEAST_EXPORTER,
      discovery: {
        workspaces: ["3f0c9a52-6d1e-4b87-9c55-1a2b3c4d5e6f"],
        include: ["^prod-"],
        exclude: ["-test$"],
        owner: "^(?<team>[a-z]+)-",
      },
      analytics: { queries: [{ name: "users", dimensions: ["user"], window: "month" }] },
      budgets: [{ name: "month", limit: 2000, window: "month", account: true }],
    };
    const { kubernetes } = readSettings(
      reader({ ...LEAST, keys: {}, managementSecret: "vault-management", exporter }),
    );
    expect(parse(kubernetes?.config.text ?? "")).toEqual({
      ...exporter,
      analytics: {
        ...exporter.analytics,
        management_key_file: "/run/secrets/aigateway/management/management-key",
      },
    });
  });

  test("reports all problems at once and shows no secret", () => {
    const text = problemsOf({
      name: "Big_Name",
      image: "",
      exporter: { gateway: { base_url: "http://gateway.example" }, keys: [{ name: "search" }], speed: 1 },
      keys: { Billing: "sk-secret-1", other: "sk secret-2", third: 5 },
      managementKey: "sk-secret-3\n",
      kubernetes: true,
      scrape: "sometimes",
      scrapeFrom: ["x"],
      monitorEndpoint: { schema: "https", tlsConfg: {} },
      logLevel: "loud",
      grafana: true,
      grafanaAuth: "",
      grafanaUrl: "grafana.example",
    });
    expect(text).toEqual([
      'name: "Big_Name" is not a name of at most 50 lower-case letters, digits and dashes that begins with a letter',
      "keys.Billing: the name does not match [a-z0-9][a-z0-9_.-]{0,63}",
      "keys.other: the value (not shown) is not one line of printable ASCII without spaces",
      "keys.third: the value (not shown) is not one line of printable ASCII without spaces",
      "managementKey: the value (not shown) is not one line of printable ASCII without spaces",
      'logLevel: "loud" is not one of debug, info, warn, error',
      'scrape: "sometimes" is not one of serviceMonitor, podMonitor, annotations, none',
      "monitorEndpoint.schema: is not a field of an endpoint",
      "monitorEndpoint.tlsConfg: is not a field of an endpoint",
      "scrapeFrom: is not an object of strings by name",
      'grafanaUrl: "grafana.example" is not an http or https URL',
      'exporter.gateway.base_url: "http://gateway.example" must use https, because keys are sent to it; http is allowed for localhost, or with gateway.allow_http: true',
      "exporter.speed: is not a known field",
      "image: is empty; it must be an image built from the Dockerfile",
      "grafanaAuth: is empty; it must be a service account's token",
    ]);
    expect(text.join("\n")).not.toMatch(/sk.secret/);
  });

  test.each<[string, Changes, string]>([
    ["no gateway", { exporter: {} }, "exporter.gateway: is missing; it must be a mapping"],
    [
      "the path of a secret",
      { exporter: { ...LEAST_EXPORTER, keys: [{ name: "billing", api_key_file: "/etc/billing" }] } },
      "exporter.keys[0].api_key_file: is set to the path where the secret is mounted; remove it",
    ],
    [
      "a variable for a secret",
      { exporter: { ...LEAST_EXPORTER, analytics: { management_key_env: "KEY" } }, managementKey: "sk-m" },
      "exporter.analytics.management_key_env: is set to the path where the secret is mounted; remove it",
    ],
    [
      "a folder of keys",
      { exporter: { ...LEAST_EXPORTER, keys_dir: "/keys" } },
      "exporter.keys_dir: is set to the path where the secret is mounted; remove it",
    ],
    [
      "a key without a secret",
      { exporter: { ...LEAST_EXPORTER, keys: [{ name: "search" }] } },
      `exporter.keys[0].name: "search" has no secret; set it: pulumi config set --secret --path 'keys["search"]'`,
    ],
    [
      "analytics without a key",
      { exporter: { ...LEAST_EXPORTER, analytics: { top: 5 } } },
      "exporter.analytics: needs a management key; set managementKey or managementSecret",
    ],
    [
      "a proxy's password in plain text",
      { environment: { HTTPS_PROXY: "http://me:sk-password@proxy.example" } },
      "environment.HTTPS_PROXY: the value (not shown) contains a login; put it into a Secret and name that in environmentSecret",
    ],
    [
      "a proxy's password in a further variable",
      { extraEnv: [{ name: "HTTPS_PROXY", value: "http://me:sk-password@proxy.example" }] },
      "extraEnv: is not a list of variables, with a string without a login as value, or valueFrom",
    ],
    [
      "a misspelt resource",
      { resources: { limit: { memory: "1Gi" } } },
      "resources: is not an object with requests, limits and claims, and amounts such as 512Mi",
    ],
    [
      "an amount that is none",
      { resources: { limits: { memory: "1 GB" } } },
      "resources: is not an object with requests, limits and claims, and amounts such as 512Mi",
    ],
    [
      "a name that no Service can have",
      { name: "1gw" },
      'name: "1gw" is not a name of at most 50 lower-case letters, digits and dashes that begins with a letter',
    ],
    [
      "a label that Kubernetes refuses",
      { podLabels: { team: "a b" } },
      "podLabels.team: the value (not shown) is not a label of at most 63 letters, digits, dashes, underscores and dots",
    ],
    [
      "the name of a label that Kubernetes refuses",
      { dashboardLabels: { "a/b/c": "d" } },
      "dashboardLabels.a/b/c: Kubernetes does not accept this name",
    ],
    [
      "a proxy that the exporter cannot use",
      { environment: { https_proxy: "socks5://proxy.example:1080" } },
      "environment.https_proxy: the value (not shown) is not an http or https URL such as http://proxy.example:3128",
    ],
    [
      "a name that two volumes would have",
      { extraVolumes: [{ name: "keys", emptyDir: {} }] },
      "extraVolumes: is not a list of objects with a name other than config, audio, ca, web, tls, keys, management",
    ],
    [
      "an address that is no range",
      { scrapeFromAddresses: ["192.0.2.1"] },
      "scrapeFromAddresses: is not a list of ranges of addresses such as 192.0.2.0/24",
    ],
    [
      "a gateway that is no label",
      { gateway: "a b" },
      'gateway: "a b" is not a label of at most 63 letters, digits, dashes, underscores and dots',
    ],
    [
      "listed keys without a management key",
      { exporter: { ...LEAST_EXPORTER, discovery: {} } },
      "exporter.discovery: needs a management key; set managementKey or managementSecret",
    ],
    [
      "a budget of the account without a management key",
      {
        exporter: {
          ...LEAST_EXPORTER,
          budgets: [{ name: "month", limit: 2000, window: "month", account: true }],
        },
      },
      "exporter.budgets[0].account: needs a management key; set managementKey or managementSecret",
    ],
    [
      "a pattern that cannot be read",
      { managementKey: "sk-m", exporter: { ...LEAST_EXPORTER, discovery: { include: ["("] } } },
      'exporter.discovery.include[0]: "(" is not a regular expression',
    ],
    [
      "nothing to poll",
      { keys: {} },
      "exporter: nothing to poll; set keys or keysSecret, managementKey or managementSecret",
    ],
    [
      "two sources of keys",
      { keysSecret: "vault-keys" },
      "keysSecret: cannot be combined with keys; remove one of them",
    ],
    [
      "two sources of the management key",
      { managementKey: "sk-m", managementSecret: "vault" },
      "managementSecret: cannot be combined with managementKey; remove one of them",
    ],
    [
      "nothing to deploy",
      { kubernetes: false },
      "kubernetes: is false, and so is grafana: there is nothing to deploy; set one of them to true",
    ],
  ])("refuses %s", (_name, changes, problem) => {
    expect(problemsOf({ ...LEAST, ...changes })).toEqual([problem]);
  });

  test("reports missing settings if Pulumi.yaml was not read", () => {
    const problems = messageOf(() => readSettings(() => undefined)).split("\n");
    expect(problems[0]).toBe(`Cannot deploy: ${Object.keys(fields.shape).length} settings are wrong`);
    expect(problems).toContain("  kubernetes: is missing; it must be true or false");
  });
});

describe("probes", () => {
  const sample = "exporter/probes/sample/sample.mp3";
  const own = { name: "meeting", key: "billing", model: "acme/ear", expected_text: "Good morning" };

  test("send the sample, or the mounted file of a recording on this machine", () => {
    const bundled = { name: "ears", key: "billing", model: "acme/ear" };
    const changes = { ...LEAST, ...withProbes([bundled, { ...own, audio: sample }]) };
    const config = readSettings(reader(changes)).kubernetes?.config;
    expect(config?.file.probes.map(({ audio }) => audio)).toEqual([
      undefined,
      "/etc/aigateway-exporter-audio/meeting.mp3",
    ]);
    expect(config?.audio).toEqual({ "meeting.mp3": readFileSync(join(ROOT, sample)).toString("base64") });
  });

  test("may use a key that only the cluster knows", () => {
    const changes = { keys: {}, keysSecret: "vault-keys", ...withProbes([{ ...own, audio: sample }]) };
    expect(readSettings(reader({ ...LEAST, ...changes })).kubernetes?.config.text).toContain(
      "audio: /etc/aigateway-exporter-audio/meeting.mp3\n",
    );
  });

  test.each<[string, object, Record<string, number>]>([
    ["that run every two minutes", { schedule: "2m" }, { probeIntervalSeconds: 120 }],
    ["that run daily", { schedule: "1d" }, { probeIntervalSeconds: 86_400 }],
    ["that pause at night", { schedule: "0 8-18 * * *" }, {}],
  ])("%s set the rules' window of recent runs", (_, schedule, expected) => {
    const { rules } = readSettings(
      reader({ ...LEAST, ...withProbes([{ ...own, audio: sample, ...schedule }]) }),
    );
    expect(rules).toEqual(expected);
  });

  test.each<[string, unknown, object | undefined, string]>([
    [
      "no ceiling",
      [own],
      {},
      "exporter.probe_spend.max_cost_per_day: is missing; it must be a finite number above 0",
    ],
    ["a value that is not a list", 5, undefined, "exporter.probes: 5 is not a list"],
    ["an unknown key", [{ ...own, key: "x", audio: sample }], undefined, "exporter.probes[0].key: "],
    [
      "a missing recording",
      [{ ...own, audio: "no.mp3" }],
      undefined,
      'exporter.probes[0].audio: file "no.mp3" cannot be read (ENOENT); it must exist on the machine that runs Pulumi',
    ],
    [
      "recordings too large for a ConfigMap",
      Array.from({ length: 99 }, (_, index) => ({ ...own, name: `own-${index}`, audio: sample })),
      undefined,
      "exporter.probes: their recordings have ",
    ],
    [
      "a recording without expected_text",
      [{ ...own, expected_text: undefined, audio: sample }],
      undefined,
      "exporter.probes[0].expected_text: is missing; it is required with audio",
    ],
  ])("are refused with %s", (_, probes, spend, expected) => {
    expect(problemsOf({ ...LEAST, ...withProbes(probes, spend) })).toContainEqual(
      expect.stringContaining(expected),
    );
  });
});

function withProbes(
  probes: unknown,
  probe_spend: object = { max_cost_per_day: 1, max_cost_per_probe: 0.1 },
): Changes {
  return { exporter: { ...LEAST_EXPORTER, probes, probe_spend } };
}

function reader(changes: Changes): (name: string) => string | undefined {
  const texts = settingTexts(changes);
  return (name) => texts[name];
}

/** The problems in the error that readSettings throws: all lines except the first. */
function problemsOf(changes: Changes): readonly string[] {
  return messageOf(() => readSettings(reader(changes)))
    .split("\n")
    .slice(1)
    .map((line) => line.trim().replace(/; known fields: .*/, ""));
}

function messageOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (RunError.isInstance(error)) return error.message;
    throw error;
  }
  return "";
}
