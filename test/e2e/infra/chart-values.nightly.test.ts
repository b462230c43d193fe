import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stringify } from "yaml";
import { z } from "zod";
import { ROOT } from "../../support/repository.ts";
import { describeWithTools, toolsDirectory } from "../../support/tools.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";

const TOOLS = ["helm", "kubectl", "etcd", "kubeApiserver", "kubeControllerManager"] as const;
const CHART = join(ROOT, "charts", "aigateway-exporter");
const NAMESPACE = "aigateway-exporter";
const FILES = 100;

const LEAST = {
  image: "registry.example/aigateway-exporter:0.1.0",
  exporter: { gateway: { base_url: "https://gateway.example/api/v1" } },
};

/** The part of JSON Schema that the chart's values use. */
interface Schema {
  readonly type?: string | readonly string[] | undefined;
  readonly enum?: readonly unknown[] | undefined;
  readonly pattern?: string | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly minLength?: number | undefined;
  readonly items?: Schema | undefined;
  readonly anyOf?: readonly Schema[] | undefined;
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly propertyNames?: Schema | undefined;
  readonly additionalProperties?: Schema | boolean | undefined;
}

const schema: z.ZodType<Schema> = z.lazy(() =>
  z.object({
    type: z.union([z.string(), z.array(z.string())]).optional(),
    enum: z.array(z.unknown()).optional(),
    pattern: z.string().optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    minLength: z.number().optional(),
    items: schema.optional(),
    anyOf: z.array(schema).optional(),
    properties: z.record(z.string(), schema).optional(),
    required: z.array(z.string()).optional(),
    propertyNames: schema.optional(),
    additionalProperties: z.union([schema, z.boolean()]).optional(),
  }),
);

const RESTRICTED = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } };

/** Values whose schema says only that they are objects of Kubernetes, or that the API server does not see. */
const GIVEN: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  exporter: fc.constant(LEAST.exporter),
  resources: fc.constantFrom(null, { limits: { memory: "1Gi" } }),
  affinity: fc.constantFrom(null, { nodeAffinity: {} }),
  monitorEndpoint: fc.constantFrom(null, { scheme: "https", tlsConfig: { insecureSkipVerify: true } }),
  // Null is right, but does not fit the Pod Security level of the namespace.
  podSecurityContext: fc.constant({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } }),
  securityContext: fc.constant(RESTRICTED),
  tolerations: fc.constantFrom(null, [{ operator: "Exists" }]),
  topologySpreadConstraints: fc.constantFrom(null, [
    { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule", labelSelector: {} },
  ]),
  networkPolicyIngress: fc.constantFrom(null, [{ from: [{ podSelector: {} }] }]),
  networkPolicyEgress: fc.constantFrom(null, [{ ports: [{ port: 5353, protocol: "UDP" }] }]),
  extraVolumes: fc.constantFrom(null, [{ name: "more", emptyDir: {} }]),
  extraVolumeMounts: fc.constant(null),
  extraEnv: fc.constantFrom(null, [{ name: "A", value: "b" }]),
  initContainers: fc.constantFrom(null, [{ name: "wait", image: "busybox", securityContext: RESTRICTED }]),
  shards: fc.integer({ min: 1, max: 3 }),
  replicas: fc.integer({ min: 1, max: 3 }),
  // They have the largest texts, and a third of the files is enough.
  dashboardConfigMaps: fc.constantFrom(false, false, true),
};

function valueOf({ type, enum: choices, anyOf, ...rest }: Schema): fc.Arbitrary<unknown> {
  if (choices) return fc.constantFrom(...choices);
  if (anyOf) return fc.oneof(...anyOf.map(valueOf));
  const types = [type ?? "null"].flat();
  return fc.oneof(...types.map((each) => OF_TYPE[each]?.(rest) ?? fc.constant(null)));
}

const OF_TYPE: Readonly<Record<string, (rest: Schema) => fc.Arbitrary<unknown>>> = {
  string: ({ pattern, minLength = 0 }) =>
    pattern === undefined ? fc.string({ minLength, maxLength: 20 }) : matching(pattern),
  integer: ({ minimum = 0, maximum = 99 }) => fc.integer({ min: minimum, max: maximum }),
  number: () => fc.oneof(fc.integer({ min: 0, max: 1e9 }), fc.double({ min: 0, max: 10, noNaN: true })),
  boolean: () => fc.boolean(),
  array: ({ items = { type: "string" } }) => fc.array(valueOf(items), { maxLength: 2 }),
  object: ({ properties, required = [], propertyNames, additionalProperties }) => {
    if (properties) return fc.record(mapValues(properties), { requiredKeys: [...required] });
    const entry = typeof additionalProperties === "object" ? additionalProperties : { type: "string" };
    return fc.dictionary(matching(propertyNames?.pattern ?? "^[A-Z]{3}$"), valueOf(entry), { maxKeys: 3 });
  },
};

function matching(pattern: string): fc.Arbitrary<string> {
  return fc.stringMatching(new RegExp(pattern), { size: "xsmall" });
}

function mapValues(properties: Readonly<Record<string, Schema>>): Record<string, fc.Arbitrary<unknown>> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, each]) => [name, GIVEN[name] ?? valueOf(each)]),
  );
}

function valuesFiles(): readonly object[] {
  const { properties = {} } = schema.parse(
    JSON.parse(readFileSync(join(CHART, "values.schema.json"), "utf8")),
  );
  const { global: _global, ...own } = properties;
  const change = fc.record(mapValues(own), { requiredKeys: [] });
  return fc.sample(change, { numRuns: FILES, seed: 1 }).map((each) => ({ ...LEAST, ...each }));
}

function call(tool: string, parameters: readonly string[], input = "") {
  return spawnSync(tool, parameters, { input, encoding: "utf8", maxBuffer: 2 ** 26 });
}

describeWithTools(TOOLS, "values files drawn from the schema of the chart", (tools) => {
  const { helm, kubectl } = tools;
  let cluster: ControlPlane;

  beforeAll(async () => {
    cluster = await startControlPlane(tools);
    run("apply", "--server-side", "--filename", join(toolsDirectory(), "crds"));
    run("wait", "--for=condition=established", "--timeout=60s", "crd", "--all");
    run("create", "namespace", NAMESPACE);
    run("create", "namespace", "dashboards");
    run("label", "namespace", NAMESPACE, "pod-security.kubernetes.io/warn=restricted");
  });
  afterAll(() => cluster?.stop());

  const run = (...parameters: readonly string[]) =>
    call(kubectl, ["--kubeconfig", cluster.kubeconfig, ...parameters]);

  test("are accepted by the API server, or refused with a sentence", { timeout: 900_000 }, () => {
    const outcomes = valuesFiles().map((values) => {
      const text = stringify(values);
      const template = call(helm, ["template", NAMESPACE, CHART, "-n", NAMESPACE, "-f", "-"], text);
      if (template.status !== 0) {
        const lint = call(helm, ["lint", CHART, "-n", NAMESPACE, "-f", "-"], text);
        const isSentence = /at '\/[^']*'|Cannot name objects|at '': /.test(lint.stdout);
        return isSentence && lint.status !== 0 ? "refused" : `${text}\n${lint.stdout}`;
      }
      const applied = call(
        kubectl,
        ["--kubeconfig", cluster.kubeconfig, "apply", "--server-side", "--dry-run=server", "-f", "-"],
        template.stdout,
      );
      // A namespace that is not there is no fault of the values.
      const faults = applied.stderr
        .split("\n")
        .filter((line) => line !== "" && !/namespaces ".*" not found/.test(line));
      return faults.length === 0 ? "accepted" : `${text}\n${faults.join("\n")}`;
    });
    expect(outcomes.filter((each) => each !== "accepted" && each !== "refused")).toEqual([]);
    expect(outcomes.filter((each) => each === "accepted").length).toBeGreaterThan(FILES / 3);
  });
});
