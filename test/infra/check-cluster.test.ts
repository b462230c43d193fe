import { expect, test } from "vitest";
import { clusterProblems } from "../../infra/kubernetes/check-cluster.ts";
import { metadataOf } from "../../infra/kubernetes/identity.ts";
import { contentMark } from "../../infra/kubernetes/objects.ts";
import { readSettings } from "../../infra/settings.ts";
import { type Changes, LEAST, settingTexts } from "./program-settings.ts";

const IDENTITY = {
  name: "exporter",
  namespace: "ai",
  labels: {},
  gateway: "",
  stack: "project/production/1a2b3c4d",
};

/** What is in the cluster: `Kind/name`, with fields. */
type Found = Readonly<Record<string, object>>;

function problems(found: Found, changes: Changes = {}, objects = [objectOf("ConfigMap")]) {
  const texts = settingTexts({ ...LEAST, namespace: "ai", createNamespace: false, ...changes });
  const { kubernetes } = readSettings((name) => texts[name]);
  if (!kubernetes) throw new Error("Cannot read the settings");
  const present = Object.entries(found).map(([key, more]) => {
    const [kind = "", name = ""] = key.split("/");
    return { kind, ...more, metadata: { name, ...("metadata" in more ? Object(more.metadata) : {}) } };
  });
  const cluster = { find: () => Promise.resolve(present), id: () => Promise.resolve("cluster") };
  return clusterProblems(cluster, objects, kubernetes, IDENTITY);
}

function objectOf(kind: string, more: object = {}) {
  return { apiVersion: "v1", kind, metadata: metadataOf(IDENTITY), ...more };
}

const marked = (mark: string, content?: string) => ({
  metadata: {
    annotations: {
      "aigateway-exporter/stack": mark,
      ...(content && { "aigateway-exporter/content": content }),
    },
  },
});

const ADOPT =
  /belongs to the stack project\/production with the id 99999999; .* pulumi config set adopt 99999999/;

test.each<[string, Found, Changes, readonly RegExp[]]>([
  ["nothing", {}, {}, []],
  ["its own object", { "ConfigMap/exporter": marked("project/production/1a2b3c4d") }, {}, []],
  [
    "its own object after a new name of the stack",
    { "ConfigMap/exporter": marked("project/old/1a2b3c4d") },
    {},
    [],
  ],
  [
    "an object of nobody",
    { "ConfigMap/exporter": {} },
    {},
    [/exists and was not created by this stack; set another name/],
  ],
  [
    "an object of another state",
    { "ConfigMap/exporter": marked("project/production/99999999") },
    {},
    [ADOPT],
  ],
  [
    "an object to take over",
    { "ConfigMap/exporter": marked("project/production/99999999") },
    { adopt: "99999999" },
    [],
  ],
  [
    "no Secret, and one without a configured key",
    { "Secret/keys": { data: { search: "" } } },
    {
      keys: {},
      keysSecret: "keys",
      imagePullSecrets: ["pull"],
      exporter: { gateway: { base_url: "https://a.example" }, keys: [{ name: "billing" }] },
    },
    [
      /^imagePullSecrets: there is no Secret "pull" in the namespace "ai"; create it first$/,
      /^keysSecret: the Secret "keys" in the namespace "ai" has no entry "billing"$/,
    ],
  ],
  ["no namespace in which Secrets could be", {}, { createNamespace: true, imagePullSecrets: ["pull"] }, []],
])("in a cluster with %s", async (_name, found, changes, expected) => {
  const seen = await problems(found, changes);
  expect(seen).toEqual(expected.map((each) => expect.stringMatching(each)));
});

test("a namespace outlives its stack, and is used again", async () => {
  const found = { "Namespace/ai": marked("project/production/99999999") };
  const namespace = { ...objectOf("Namespace"), metadata: { ...metadataOf(IDENTITY), name: "ai" } };
  expect(await problems(found, {}, [namespace])).toEqual([]);
  const theirs = { "Namespace/ai": marked("project/staging/99999999") };
  expect(await problems(theirs, {}, [namespace])).toEqual([
    expect.stringMatching(
      /^Namespace "ai": exists and belongs to the stack project\/staging .* createNamespace/,
    ),
  ]);
});

test("an item that somebody appended is found, whatever the order of fields", async () => {
  const spec = { egress: [{ ports: [{ port: 53, protocol: "UDP" }] }] };
  const mark = contentMark({ kind: "NetworkPolicy", spec });
  const policy = (live: object) => ({
    "NetworkPolicy/exporter": { ...marked(IDENTITY.stack, mark), spec: live },
  });
  const objects = [objectOf("NetworkPolicy")];
  expect(
    await problems(policy({ egress: [{ ports: [{ protocol: "UDP", port: 53 }] }] }), {}, objects),
  ).toEqual([]);
  expect(await problems(policy({ egress: [...spec.egress, {}] }), {}, objects)).toEqual([
    expect.stringMatching(/was changed by hand; delete it \(kubectl -n ai delete networkpolicy exporter\)/),
  ]);
});
