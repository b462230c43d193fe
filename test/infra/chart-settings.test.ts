import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { ROOT } from "../support/repository.ts";
import { declared } from "./program-settings.ts";

/** Settings without a value of the chart. */
const ONLY_SETTINGS = {
  "Helm has it": "name namespace createNamespace kubernetes kubeconfig kubeContext",
  "Helm has a state, and no secrets in it": "keys managementKey adopt protect",
  "Helm only waits until the pods are ready": "waitForConfig",
  "networkPolicyIngress can do it": "scrapeFromAddresses",
  "the chart deploys to Kubernetes only":
    "grafana grafanaUrl grafanaAuth grafanaFolder grafanaParentFolder grafanaOrganization grafanaDashboards grafanaDatasourceUid grafanaDatasourceUrl grafanaAlerts",
};

test("every value of the chart is a setting but the names of a release, and every other setting has a reason", () => {
  const values = Object.keys(
    z.looseObject({}).parse(parse(readFileSync(join(ROOT, "charts/aigateway-exporter/values.yaml"), "utf8"))),
  );
  const settings = Object.keys(declared);
  expect(values.filter((name) => !settings.includes(name))).toEqual(["nameOverride", "fullnameOverride"]);
  const others = settings.filter((name) => !values.includes(name));
  expect(others.toSorted()).toEqual(Object.values(ONLY_SETTINGS).join(" ").split(" ").toSorted());
});
