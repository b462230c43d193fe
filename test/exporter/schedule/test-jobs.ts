import { type Family, gauge, sample } from "../../../exporter/metrics/family.ts";
import type { ReadingValue } from "../../../exporter/readings/reading.ts";
import { targetId } from "../../../exporter/readings/target-id.ts";
import type { Job, Result, Reporter, JobGroup } from "../../../exporter/schedule/job.ts";
import type { Window } from "../../../exporter/time/window.ts";

/** A job of the endpoint `key`. By default it succeeds at once without a request. */
export function testJob(name: string, change: Partial<Job> = {}): Job {
  return {
    id: targetId("key", name),
    title: `key "${name}"`,
    name,
    endpoint: "key",
    requests: 1,
    minIntervalMs: 0,
    identity: "the same",
    fingerprint: "the same",
    constants: [],
    run: () => Promise.resolve(result(1)),
    describe: () => [],
    ...change,
  };
}

export function testGroup(change: Partial<JobGroup> = {}): JobGroup {
  return {
    name: "key",
    expression: { kind: "interval", ms: 60_000 },
    jobs: [],
    reporter: silentReporter,
    isPaid: false,
    ...change,
  };
}

/** The result of a run: one sample, of a window if given. */
export function result(credits: number, window?: Window): Result {
  return { value: VALUE, samples: sample(creditsFamily, { key: "a" }, credits, window) };
}

const silentReporter: Reporter = { ended() {}, refused() {}, paused() {} };

const creditsFamily: Family<"key"> = gauge({
  name: "aigateway_test_credits",
  help: "Test.",
  labels: ["key"],
  absent: "never",
});

const VALUE: ReadingValue = {
  kind: "probe",
  answer: undefined,
  succeeded: true,
  durationMs: 0,
  audioSeconds: undefined,
  wordErrorRate: undefined,
};
