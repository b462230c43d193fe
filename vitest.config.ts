import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // A process or a Prometheus that a test starts may need longer than the default on a busy machine.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    expect: { poll: { timeout: 20_000 } },
  },
});
