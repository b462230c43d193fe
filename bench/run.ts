import type { Benchmark, Readings, Runner, Skipped } from "./benchmark.ts";

/** The results of a benchmark: the rounds of each contender, aligned with those of the others. */
export interface Measurement {
  readonly benchmark: Benchmark;
  readonly rounds: ReadonlyMap<string, readonly Readings[]>;
  readonly skipped: readonly Skipped[];
  /** Durations of the fixed computation, before each round and after the last. */
  readonly calibrationMs: readonly number[];
}

export interface RunDependencies {
  readonly calibrate: () => number;
  readonly onProgress: (text: string) => void;
}

/** Opens the contenders, measures them in interleaved rounds, and always closes them. */
export async function run(benchmark: Benchmark, dependencies: RunDependencies): Promise<Measurement> {
  const arena = await benchmark.open();
  try {
    const skipped = arena.contenders.filter((contender) => "skipped" in contender);
    const measured = arena.contenders.filter((contender) => "round" in contender);
    const twins = measured.filter(({ name }) => name === benchmark.reference?.contender);
    const runners = [...measured, ...twins.map((twin) => ({ ...twin, name: again(twin.name) }))];
    const rounds = new Map<string, Readings[]>(runners.map(({ name }) => [name, []]));
    const calibrationMs: number[] = [];
    for (let round = benchmark.warmsUpItself ? 1 : 0; round <= benchmark.rounds; round++) {
      dependencies.onProgress(`${benchmark.name}: round ${round} of ${benchmark.rounds}`);
      calibrationMs.push(dependencies.calibrate());
      for (const runner of inTurn(runners, round)) {
        const readings = await runner.round();
        // The first round warms up caches.
        if (round > 0) rounds.get(runner.name)?.push(readings);
      }
    }
    calibrationMs.push(dependencies.calibrate());
    return { benchmark, rounds, skipped, calibrationMs };
  } finally {
    await arena.close();
  }
}

/** The reference is measured twice in each round: the difference of two equal contenders is the noise. */
function again(name: string): string {
  return `${name} again`;
}

/** Reverses the order in every other round, so that no contender always follows the same one. */
function inTurn(runners: readonly Runner[], round: number): readonly Runner[] {
  return round % 2 === 0 ? runners : runners.toReversed();
}
