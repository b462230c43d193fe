import type { Family, Sample } from "../../../exporter/metrics/family.ts";
import type { Reading } from "../../../exporter/readings/reading.ts";
import type { TargetId } from "../../../exporter/readings/target-id.ts";
import { contains, SETTLE_MS, type Window } from "../../../exporter/time/window.ts";

/** The expected behaviour of readings and rendering, written in the plainest way: as lists of samples. */
export function createModel(now: () => number, seriesLimit: number) {
  const targets = new Map<TargetId, Target>();
  const held = () => [...targets.values()].reduce((sum, target) => sum + sizeOf(target), 0);

  function change(id: TargetId, next: (target: Target) => Partial<Target>): void {
    const target = targets.get(id);
    if (target) targets.set(id, { ...target, ...next(target) });
  }

  function visible({ description, values, endMs }: Target): readonly Sample[] {
    const fresh = now() < endMs ? values : [];
    return [...description, ...fresh.filter(({ window }) => !window || contains(window, now()))];
  }

  return {
    held,
    configure: (id: TargetId, identity: string): void => {
      if (targets.get(id)?.identity !== identity) targets.set(id, { ...NOTHING, identity });
    },
    learn: (id: TargetId, reading: Reading, samples: readonly Sample[]): boolean => {
      const target = targets.get(id);
      if (!target) return true;
      const { askedAtMs, asOfMs, timeToLiveMs } = reading;
      const values = samples.filter(({ window }) => !window || isSettled(window, asOfMs));
      const fits = held() - target.values.length + values.length <= seriesLimit;
      const learnt = fits ? { values, endMs: askedAtMs + timeToLiveMs } : { values: [], endMs: 0 };
      change(id, () => ({ ...learnt, reading, isWhole: fits && values.length === samples.length }));
      return fits;
    },
    describe: (id: TargetId, description: readonly Sample[]): void => change(id, () => ({ description })),
    withdraw: (id: TargetId): void => change(id, () => ({ values: [], endMs: 0, isWhole: false })),
    remove: (id: TargetId): void => void targets.delete(id),
    latest: (id: TargetId): Reading | undefined => targets.get(id)?.reading,
    isShown: (id: TargetId): boolean => {
      const target = targets.get(id);
      return target !== undefined && target.reading !== undefined && now() < target.endMs;
    },
    isWhole: (id: TargetId): boolean => {
      const target = targets.get(id);
      if (!target?.isWhole || now() >= target.endMs) return false;
      return target.values.every(({ window }) => !window || contains(window, now()));
    },
    /** The text format, line by line. */
    text: (families: readonly Family[]): string => {
      const all = [...targets.values()].flatMap(visible);
      return families
        .map((family) => {
          const lines = all
            .filter((sample) => sample.family === family)
            .map(({ labels, value }) => `${family.name}{${labels}} ${value}\n`);
          const header = `# HELP ${family.name} ${family.help}\n# TYPE ${family.name} gauge\n`;
          return lines.length === 0 ? "" : `${header}${lines.join("")}`;
        })
        .join("");
    },
  };
}

function isSettled(window: Window, asOfMs: number): boolean {
  return contains(window, asOfMs) && asOfMs - window.startMs >= SETTLE_MS;
}

interface Target {
  readonly identity: string;
  readonly description: readonly Sample[];
  readonly values: readonly Sample[];
  readonly endMs: number;
  readonly isWhole: boolean;
  readonly reading: Reading | undefined;
}

const NOTHING: Omit<Target, "identity"> = {
  description: [],
  values: [],
  endMs: 0,
  isWhole: false,
  reading: undefined,
};

function sizeOf({ description, values }: Target): number {
  return description.length + values.length;
}
