import type { Family, Sample } from "../../../exporter/metrics/family.ts";
import type { Answer } from "../../../exporter/readings/store.ts";
import { contains, isSettled } from "../../../exporter/time/window.ts";

/** What the store and all that is rendered of it should be, written in the plainest way: lists of samples. */
export function createModel(now: () => number, seriesLimit: number) {
  const targets = new Map<
    string,
    { description: readonly Sample[]; values: readonly Sample[]; endMs: number }
  >();
  const nothing = { description: [], values: [], endMs: 0 };
  const held = () =>
    [...targets.values()].reduce(
      (sum, { description, values }) => sum + description.length + values.length,
      0,
    );

  function visible(target: string): readonly Sample[] {
    const { description, values, endMs } = targets.get(target) ?? nothing;
    const fresh = now() < endMs ? values : [];
    return [...description, ...fresh.filter(({ window }) => !window || contains(window, now()))];
  }

  return {
    held,
    visible,
    put: (target: string, { samples, askedAtMs, timeToLiveMs }: Answer): boolean => {
      const old = targets.get(target) ?? nothing;
      const values = samples.filter(({ window }) => !window || isSettled(window, askedAtMs));
      const fits = held() - old.values.length + values.length <= seriesLimit;
      targets.set(
        target,
        fits ? { ...old, values, endMs: askedAtMs + timeToLiveMs } : { ...old, values: [] },
      );
      return fits;
    },
    describe: (target: string, description: readonly Sample[]): void => {
      targets.set(target, { ...(targets.get(target) ?? nothing), description });
    },
    withdraw: (target: string): void => {
      targets.set(target, { ...(targets.get(target) ?? nothing), values: [] });
    },
    remove: (target: string): void => void targets.delete(target),
    /** The text format, line by line. */
    text: (families: readonly Family[]): string => {
      const all = [...targets.keys()].flatMap(visible);
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
