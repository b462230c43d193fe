import { defineConfig } from "vitest/config";

/**
 * Suites that start processes, drive a real Prometheus, or let days pass: hundreds of seconds in sum. All others
 * together take less than a minute.
 */
const SLOW = [
  "test/e2e/**/*.test.ts",
  "test/reliability/**/*.test.ts",
  "test/fuzz/**/*.test.ts",
  "test/world/*.test.ts",
  "test/exporter/collectors/account-weeks.test.ts",
  "test/dashboards/rules/{alert-cases,alert-texts,alertmanager,exporter-down,gateways,grafana-form,probe-weeks,replicas,unheard-text,mutants,*-stories}.test.ts",
  "test/support-contract/prometheus.test.ts",
  "test/demo.test.ts",
  "test/infra/image.test.ts",
  "test/npm-package.test.ts",
];

/** Suites that measure how fast the exporter answers: the others must not take its processor. */
const MEASURING = [
  "test/attack/attack.test.ts",
  "test/soak/soak.test.ts",
  "test/fuzz/{stalls,configuration-stalls}.test.ts",
];

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: { name: "fast", include: ["test/**/*.test.ts"], exclude: [...SLOW, ...MEASURING] },
      },
      {
        extends: true,
        test: { name: "slow", include: SLOW, exclude: MEASURING },
      },
      {
        extends: true,
        test: { name: "measuring", include: MEASURING, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
    // For a process that hangs: a busy machine must not fail a test. Longer than PATIENCE_MS in test/support.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
