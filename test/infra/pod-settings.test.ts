import { describe, expect, test } from "vitest";
import { type Registered, runMocked } from "./mocked-program.ts";
import { type Changes, LEAST } from "./program-settings.ts";

describe("the settings of the pod and its scrapes", () => {
  test("has the settings of the pod", async () => {
    const [deployment] = await find(
      {
        podLabels: { team: "ai" },
        podAnnotations: { "k8s.grafana.com/scrape": "true" },
        environment: { NO_PROXY: "example.org" },
        environmentSecret: "proxy",
        caConfigMap: "authorities",
        webConfigSecret: "web",
        nodeSelector: { disk: "ssd" },
        tolerations: [{ key: "spot", operator: "Exists" }],
        affinity: { nodeAffinity: {} },
        priorityClass: "monitoring",
      },
      "Deployment",
    );
    const socket = { tcpSocket: { port: "metrics" } };
    expect(deployment?.inputs).toMatchObject({
      spec: {
        template: {
          metadata: {
            labels: { team: "ai", gateway: "test" },
            annotations: { "k8s.grafana.com/scrape": "true" },
          },
          spec: {
            nodeSelector: { disk: "ssd" },
            tolerations: [{ key: "spot", operator: "Exists" }],
            affinity: { nodeAffinity: {} },
            priorityClassName: "monitoring",
            containers: [
              {
                args: expect.arrayContaining([
                  "--web.config.file=/etc/aigateway-exporter-web/web-config.yaml",
                ]),
                env: [
                  { name: "NODE_EXTRA_CA_CERTS", value: "/etc/aigateway-exporter-ca/ca.crt" },
                  { name: "NO_PROXY", value: "example.org" },
                ],
                envFrom: [{ secretRef: { name: "proxy" } }],
                livenessProbe: socket,
                readinessProbe: socket,
                volumeMounts: expect.arrayContaining([
                  { name: "ca", mountPath: "/etc/aigateway-exporter-ca", readOnly: true },
                  { name: "web", mountPath: "/etc/aigateway-exporter-web", readOnly: true },
                ]),
              },
            ],
            volumes: expect.arrayContaining([
              { name: "ca", configMap: { name: "authorities" } },
              { name: "web", secret: { secretName: "web", defaultMode: 0o440 } },
            ]),
          },
        },
      },
    });
  });

  test.each([
    ["ServiceMonitor", "serviceMonitor", "endpoints"],
    ["PodMonitor", "podMonitor", "podMetricsEndpoints"],
  ])("names the gateway in a %s, and keeps other relabelings", async (kind, scrape, endpoints) => {
    const own = { action: "labeldrop", regex: "pod" };
    const changes = { scrape, gateway: "eu", monitorEndpoint: { scheme: "https", relabelings: [own] } };
    const naming = { targetLabel: "gateway", replacement: "eu" };
    expect((await find(changes, kind))[0]?.inputs).toMatchObject({
      spec: { [endpoints]: [{ port: "metrics", scheme: "https", relabelings: [naming, own] }] },
    });
  });
});

async function find(changes: Changes, kind: string): Promise<readonly Registered[]> {
  return (await runMocked({ ...LEAST, ...changes })).filter(({ type }) => type.endsWith(`:${kind}`));
}
