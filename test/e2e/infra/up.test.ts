import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithTools } from "../../support/tools.ts";
import { createDeployer } from "./deployer.ts";
import { NAMESPACE, readyPods } from "./deployment.ts";
import type { TestStack } from "./pulumi-stack.ts";
import { STACK_TIMEOUT_MS, STACK_TOOLS, type StackStage, startStackStage } from "./stack-stage.ts";

describeWithTools(STACK_TOOLS, "pulumi up of a deployer with the rights of infra/deployer.yaml", (tools) => {
  let stage: StackStage;
  let stack: TestStack;

  beforeAll(async () => {
    stage = await startStackStage(tools);
    stack = await stage.createStack(join("/nonexistent", "kubeconfig"), {
      kubeconfig: JSON.stringify(await createDeployer(stage.cluster)),
      managementKey: stage.gateway.managementToken,
    });
    stack.configure({ createNamespace: false, dashboardConfigMaps: false });
  }, STACK_TIMEOUT_MS);

  afterAll(async () => stage?.stop(), STACK_TIMEOUT_MS);

  test("fails with the last words of a pod that does not start", async () => {
    stack.configure({ environment: { NODE_OPTIONS: "--nonsense" } });
    const { code, output } = await stack.up();
    expect(code).not.toBe(0);
    expect(output).toMatch(/does not start:\s[^]*--nonsense is not allowed in NODE_OPTIONS/);
    expect((await stack.history())[0]).toBe("failed");
  });

  test("deploys an exporter that runs when it ends, and no secret in plain text", async () => {
    stack.configure({ environment: {} });
    const { code, output } = await stack.up();
    expect(output).toContain(`http://${NAMESPACE}.${NAMESPACE}.svc:9853/metrics`);
    expect(code).toBe(0);
    const [pod] = await readyPods(stage.cluster.api);
    expect(await (await fetch(`${pod?.url}/metrics`)).text()).toContain('aigateway_key_up{key="billing"} 1');
    const written = stack.written();
    expect(written).toContain(`${NAMESPACE}-keys`);
    const secrets = [stage.billing, stage.gateway.managementToken];
    const encoded = secrets.map((text) => Buffer.from(text).toString("base64"));
    expect([...secrets, ...encoded].filter((text) => written.includes(text))).toEqual([]);
  });
});
