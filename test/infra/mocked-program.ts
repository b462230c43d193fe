import { runtime } from "@pulumi/pulumi";
import { program } from "../../infra/program.ts";
import type { DashboardFile } from "../../dashboards/index.ts";
import { type Changes, settingTexts } from "./program-settings.ts";

/** A resource that the program registered. */
export interface Registered {
  readonly type: string;
  readonly name: string;
  /** Secrets are `{ secret: … }`. */
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Urn and id; empty for the default provider. */
  readonly provider: string;
}

export const DASHBOARD: DashboardFile = {
  uid: "aigateway-overview",
  title: "AI gateway",
  json: '{"uid":"aigateway-overview","title":"AI gateway"}',
};

/** Runs the program with Pulumi's mocks, and returns every resource that has an explicit provider. */
export async function runMocked(
  changes: Changes,
  dashboards: readonly DashboardFile[] = [DASHBOARD],
): Promise<readonly Registered[]> {
  const resources: Registered[] = [];
  await mockEngine((resource) => resources.push(resource));
  // Nobody runs the pods.
  const texts = Object.entries(settingTexts({ waitForConfig: false, ...changes }));
  const secrets = ["keys", "managementKey", "grafanaAuth"].map((name) => `aigateway-exporter:${name}`);
  runtime.setAllConfig(
    Object.fromEntries(texts.map(([name, text]) => [`aigateway-exporter:${name}`, text])),
    secrets,
  );
  await program(dashboards, () => emptyCluster);
  await runtime.disconnect();
  return resources;
}

/** What the state keeps. */
const REMEMBERED = { id: "1a2b3c4d", cluster: "test-cluster" };

/** What kubectl says of a cluster without any of the stack's objects. */
async function emptyCluster(parameters: readonly string[]): Promise<string> {
  return parameters.includes("kube-system") ? "test-cluster" : "";
}

/** Mocks the engine from now on, and calls `onResource` for each resource that has an explicit provider. */
export async function mockEngine(onResource: (resource: Registered) => void): Promise<void> {
  await runtime.setMocks(
    {
      newResource: ({ type, name, inputs, custom, provider = "" }) => {
        if (custom !== false) onResource({ type, name, inputs: plain(inputs), provider });
        return { id: `${name}-id`, state: { ...inputs, output: REMEMBERED } };
      },
      call: ({ inputs }) => inputs,
    },
    "aigateway-exporter",
    "test",
    false,
  );
}

/** How the engine marks a secret. */
const SIGNATURE = "4dabf18193072939515e22adb298388d";
const SECRET = "1b47061264138c4ac30d75fd1eb44270";

function plain(inputs: unknown): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(JSON.stringify(inputs), (_key, part: unknown) =>
    isRecord(part) && part[SIGNATURE] === SECRET ? { secret: part["value"] } : part,
  );
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
