import { defineConfig } from "vitest/config";

/**
 * Suites that start processes, drive a real Prometheus, or let days pass: hundreds of seconds in sum. All others
 * together take less than a minute.
 */
const SLOW = [
  "test/e2e/**/*.test.ts",
  "test/reliability/**/*.test.ts",
  "test/soak/soak.test.ts",
  "test/fuzz/**/*.test.ts",
  "test/world/*.test.ts",
  "test/attack/attack.test.ts",
  "test/dashboards/rules/{alert-cases,alertmanager,exporter-down,probe-weeks,rules,*-stories}.test.ts",
  "test/support-contract/prometheus.test.ts",
  "test/demo.test.ts",
  "test/infra/image.test.ts",
];

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: { name: "fast", include: ["test/**/*.test.ts"], exclude: SLOW },
      },
      {
        extends: true,
        test: { name: "slow", include: SLOW },
      },
    ],
    // A process or a Prometheus that a test starts may need longer than the default on a busy machine.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
