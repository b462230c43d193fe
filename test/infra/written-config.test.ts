import { runtime } from "@pulumi/pulumi";
import { beforeAll, describe, expect, test } from "vitest";
import { writtenProblems, type WrittenConfig } from "../../infra/written-config.ts";
import { mockEngine } from "./mocked-program.ts";

beforeAll(async () => {
  await mockEngine(() => {});
});

describe("settings that Pulumi would ignore", () => {
  test.each<[string, string]>([
    ["grafanaAlert", "; did you mean grafanaAlerts?"],
    ["GrafanaAlerts", "; did you mean grafanaAlerts?"],
    ["grafana_url", "; did you mean grafanaUrl?"],
    ["imagepullsecret", "; did you mean imagePullSecrets?"],
    ["weather", "; Pulumi.yaml lists all settings"],
    ["constructor", "; Pulumi.yaml lists all settings"],
  ])("%s is refused with the nearest name", (name, advice) => {
    expect(problems({ [`aigateway-exporter:${name}`]: "x" })).toEqual([`${name}: is not a setting${advice}`]);
  });

  test("a setting of a misspelt project is refused, and one of another project is not", () => {
    expect(
      problems({
        "aigateway_exporter:grafanaAlerts": "false",
        "kubernetes:namespace": "x",
        "pulumi:tags": "{}",
        "aigateway-exporter:name": "x",
      }),
    ).toEqual([
      "aigateway_exporter:grafanaAlerts: is not a setting; did you mean aigateway-exporter:grafanaAlerts?",
    ]);
  });
});

test.each<[string, readonly string[]]>([
  ["environment", [expect.stringMatching(/^environment: a value is encrypted, but .* environmentSecret$/)]],
  ["image", [expect.stringMatching(/^image: a value is encrypted, but .* without --secret$/)]],
  ["keys", []],
  ["kubeconfig", []],
])("an encrypted value of %s stays encrypted, or is refused", (name, expected) => {
  expect(problems({ [`aigateway-exporter:${name}`]: "" }, { isSecret: () => true })).toEqual(expected);
});

describe("secrets in plain text", () => {
  test.each<[string, string, readonly string[]]>([
    ["managementKey", "sk-1", ["managementKey: pulumi config set --secret managementKey"]],
    ["grafanaAuth", "glsa", ["grafanaAuth: pulumi config set --secret grafanaAuth"]],
    ["kubeconfig", "apiVersion: v1\nusers: []", ["kubeconfig: pulumi config set --secret kubeconfig"]],
    ["kubeconfig", "~/.kube/config", []],
    ["managementKey", "", []],
    ["keys", "{}", []],
    [
      "keys",
      '{"billing":"sk-1","a.b":"sk-2"}',
      [
        "keys.billing: pulumi config set --secret --path keys.billing",
        `keys.a.b: pulumi config set --secret --path 'keys["a.b"]'`,
      ],
    ],
  ])("%s %j is refused with the command that encrypts", (name, value, expected) => {
    const values = { [`aigateway-exporter:${name}`]: value };
    const found = problems(values);
    expect(
      found.map((text) =>
        text
          .replace(" is in plain text; encrypt it:", "")
          .replace(" (and replace it if others could read the file)", ""),
      ),
    ).toEqual(expected);
    expect(found.join("\n")).not.toMatch(/sk-|glsa|users/);
    expect(problems(values, { isSecret: () => true })).toEqual([]);
  });

  test("a plain key beside encrypted ones is found in the stack's file", () => {
    const values = { "aigateway-exporter:keys": '{"billing":"sk-1","search":"sk-2"}' };
    const stackFile = `config:
  aigateway-exporter:keys:
    billing: { secure: v1:abc }
    search: sk-2
`;
    expect(problems(values, { isSecret: () => true, stackFile })).toEqual([
      expect.stringMatching(/^keys\.search: is in plain text; encrypt it: .* --path keys\.search /),
    ]);
    const whole = "config: { aigateway-exporter:keys: { secure: v1:abc } }";
    expect(problems(values, { isSecret: () => true, stackFile: whole })).toEqual([]);
  });
});

test("a deployment with such settings is refused before any resource", async () => {
  const { program } = await import("../../infra/program.ts");
  runtime.setAllConfig({
    "aigateway-exporter:grafanaAuth": "glsa",
    "aigateway-exporter:grafanaAlert": "false",
  });
  await expect(program([])).rejects.toThrow(
    /grafanaAlert: is not a setting; did you mean grafanaAlerts\?\n.*grafanaAuth: is in plain text/,
  );
});

function problems(values: Readonly<Record<string, string>>, changes: Partial<WrittenConfig> = {}) {
  return writtenProblems({ values, isSecret: () => false, stackFile: "", ...changes });
}
