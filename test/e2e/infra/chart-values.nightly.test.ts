import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { ROOT } from "../../support/repository.ts";
import { describeWithTools, toolsDirectory } from "../../support/tools.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";

const TOOLS = ["helm", "kubectl", "etcd", "kubeApiserver", "kubeControllerManager"] as const;
const CHART = join(ROOT, "charts", "aigateway-exporter");
const NAMESPACE = "aigateway-exporter";
const FILES = 100;
/** `SEED=7` draws others. */
const SEED = Number(process.env["SEED"] ?? 1);

const LEAST = {
  image: "registry.example/aigateway-exporter:0.1.0",
  exporter: { gateway: { base_url: "https://gateway.example/api/v1" } },
};

/** The part of JSON Schema that the chart's values use. */
interface Schema {
  readonly type?: string | readonly string[] | undefined;
  readonly enum?: readonly unknown[] | undefined;
  readonly pattern?: string | undefined;
  readonly else?: Schema | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly minLength?: number | undefined;
  readonly items?: Schema | undefined;
  readonly anyOf?: readonly Schema[] | undefined;
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly propertyNames?: Schema | undefined;
  readonly patternProperties?: Readonly<Record<string, Schema>> | undefined;
  readonly additionalProperties?: Schema | boolean | undefined;
}

const schema: z.ZodType<Schema> = z.lazy(() =>
  z.object({
    type: z.union([z.string(), z.array(z.string())]).optional(),
    enum: z.array(z.unknown()).optional(),
    pattern: z.string().optional(),
    else: schema.optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    minLength: z.number().optional(),
    items: schema.optional(),
    anyOf: z.array(schema).optional(),
    properties: z.record(z.string(), schema).optional(),
    required: z.array(z.string()).optional(),
    propertyNames: schema.optional(),
    patternProperties: z.record(z.string(), schema).optional(),
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
  string: ({ else: other, pattern = other?.pattern, minLength = 0 }) =>
    pattern === undefined ? fc.string({ minLength, maxLength: 20 }) : matching(pattern),
  integer: ({ minimum = 0, maximum = 99 }) => fc.integer({ min: minimum, max: maximum }),
  number: () =>
    fc.oneof(
      fc.integer({ min: 0, max: 1e9 }),
      fc.double({ min: 0, max: 10, noNaN: true }),
      fc.constantFrom(1e6, 1e20),
    ),
  boolean: () => fc.boolean(),
  array: ({ items = { type: "string" } }) => fc.array(valueOf(items), { maxLength: 2 }),
  object: ({
    properties,
    required = [],
    propertyNames = {},
    patternProperties = {},
    additionalProperties,
  }) => {
    if (properties) return fc.record(mapValues(properties), { requiredKeys: [...required] });
    const entry = typeof additionalProperties === "object" ? additionalProperties : { type: "string" };
    const entries = Object.entries({ [propertyNames.pattern ?? "^[A-Z]{3}$"]: entry, ...patternProperties });
    const dictionaries = entries.map(([pattern, each]) =>
      fc.dictionary(
        propertyNames.enum ? fc.constantFrom(...propertyNames.enum.map(String)) : matching(pattern),
        valueOf(each),
        { maxKeys: 3 },
      ),
    );
    return fc.tuple(...dictionaries).map((each) => Object.assign({}, ...each));
  },
};

/** Rarely long ones, beyond the limits of Kubernetes; YAML has one of its own. */
function matching(pattern: string): fc.Arbitrary<string> {
  const arbitrary = (size: "xsmall" | "medium") =>
    fc.stringMatching(new RegExp(pattern), { size }).filter((text) => text.length < 400);
  return fc.oneof(
    { weight: 19, arbitrary: arbitrary("xsmall") },
    { weight: 1, arbitrary: arbitrary("medium") },
  );
}

/** What users write where they should write something else. */
const WRONG = [null, 0, -1, 1.5, true, "", "null", "a b", "\u00e9\n", [], [null], ["a", "a"], {}, { a: "b" }];

function mapValues(properties: Readonly<Record<string, Schema>>): Record<string, fc.Arbitrary<unknown>> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, each]) => [
      name,
      GIVEN[name] ??
        fc.oneof(
          { weight: 99, arbitrary: valueOf(each) },
          { weight: 1, arbitrary: fc.constantFrom(...WRONG) },
        ),
    ]),
  );
}

/** The name of a release, and its values. */
function releases(): readonly (readonly [name: string, values: object])[] {
  const { properties = {} } = schema.parse(
    JSON.parse(readFileSync(join(CHART, "values.schema.json"), "utf8")),
  );
  const { global: _global, ...own } = properties;
  const change = fc.record(mapValues(own), { requiredKeys: [] });
  const name = fc.oneof(fc.constant(NAMESPACE), matching("^[a-z0-9](?:[a-z0-9.-]{0,51}[a-z0-9])?$"));
  return fc
    .sample(fc.tuple(name, change), { numRuns: FILES, seed: SEED })
    .map(([release, each]) => [release, { ...LEAST, ...each }]);
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
    const outcomes = releases().map(([name, values]) => {
      const text = JSON.stringify(values);
      const template = call(helm, ["template", name, CHART, "-n", NAMESPACE, "-f", "-"], text);
      if (template.status !== 0) {
        // Linting knows no name.
        if (/Cannot name objects|release name/.test(template.stderr)) return "refused";
        const lint = call(helm, ["lint", CHART, "-n", NAMESPACE, "-f", "-"], text);
        const isSentence = /at '\/[^']*'|at '': /.test(lint.stdout);
        return isSentence && lint.status !== 0 ? "refused" : `${text}\n${lint.stdout}${lint.stderr}`;
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
