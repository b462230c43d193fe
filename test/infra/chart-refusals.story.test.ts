import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { ROOT } from "../support/repository.ts";
import { describeWithTools } from "../support/tools.ts";
import type { Changes } from "./program-settings.ts";

const LEAST = {
  image: "registry.example/aigateway-exporter:0.1.0",
  exporter: { gateway: { base_url: "https://gateway.example/api/v1" } },
};

describeWithTools(["helm"], "helm lint", ({ helm }) => {
  test.each<readonly [string, Changes, RegExp]>([
    ["null for a required value", { replicas: null }, /replicas/],
    ["an unknown field of the configuration", { exporter: { ...LEAST.exporter, gatway: 1 } }, /gatway/],
    ["http", { exporter: { gateway: { base_url: "http://a.example/v1" } } }, /base_url/],
    [
      "no currency",
      { exporter: { ...LEAST.exporter, credit_value: { currency: "Euro", value: 1 } } },
      /currency/,
    ],
    [
      "another number of shards in the configuration",
      { replicas: 2, exporter: { ...LEAST.exporter, shards: 3 } },
      /exporter.*shards/,
    ],
    ["no image", { image: "" }, /image/],
    ["no gateway", { exporter: {} }, /gateway/],
    ["an unknown value", { imagee: "a" }, /imagee/],
    ["an unknown choice", { scrape: "pods" }, /scrape/],
    ["text for a list", { imagePullSecrets: "one" }, /imagePullSecrets/],
    ["text for tolerations", { tolerations: "all" }, /tolerations/],
    ["a label that Kubernetes refuses", { podLabels: { team: "a b" } }, /podLabels/],
    ["a negative label", { podLabels: { rank: -1 } }, /podLabels/],
    ["the name of a label that Kubernetes refuses", { podLabels: { "a..b/c": "d" } }, /a\.\.b\/c/],
    ["a number as a variable", { environment: { PORT: 1 } }, /environment/],
    [
      "a login in a variable",
      { environment: { HTTPS_PROXY: "http://me:secret@proxy.example" } },
      /HTTPS_PROXY/,
    ],
    [
      "a login in a further variable",
      { extraEnv: [{ name: "A", value: "http://me:secret@proxy.example" }] },
      /extraEnv/,
    ],
    ["a proxy that is no URL", { environment: { HTTPS_PROXY: "socks5://a.example" } }, /HTTPS_PROXY/],
    ["a port that no address has", { environment: { https_proxy: "a.example:99999" } }, /https_proxy/],
    [
      "a name that two volumes would have",
      { extraVolumes: [{ name: "keys", emptyDir: {} }] },
      /extraVolumes/,
    ],
    ["an amount that is none", { resources: { limits: { memory: "1 GB" } } }, /resources/],
    ["a misspelt resource", { resources: { limit: { memory: "1Gi" } } }, /resources/],
    [
      "unknown fields of an endpoint",
      { monitorEndpoint: { schema: "https", tlsConfg: {} } },
      /schema[^]*tlsConfg/,
    ],
    ["a namespace with a dot", { dashboardNamespace: "a.b" }, /dashboardNamespace/],
    ["an alert that is not there", { alerts: { AIGatewayNone: { enabled: false } } }, /AIGatewayNone/],
  ])("refuses %s, and shows no login", (_name, changes, message) => {
    const chart = join(ROOT, "charts", "aigateway-exporter");
    const input = stringify({ ...LEAST, ...changes });
    const { status, stdout } = spawnSync(helm, ["lint", chart, "-f", "-"], { input, encoding: "utf8" });
    expect(status).toBe(1);
    expect(stdout).toMatch(message);
    expect(stdout).not.toContain("secret@");
  });
});
