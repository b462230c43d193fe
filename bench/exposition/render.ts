import { atLeast, ratio, type Benchmark, type Runner } from "../benchmark.ts";
import { startContender } from "./start.ts";

const SERIES = 200_000;

/** Time to render the text when every value has changed. */
export const renderBenchmark: Benchmark = {
  name: "exposition/render",
  title:
    "200,000 series, all values changed: `render` renders the whole text, uncompressed; `publish` also compresses it. " +
    "`cpu` is the processor time, which other work on the machine hardly affects. In process, without HTTP.",
  quantities: [
    { name: "render", unit: "ms" },
    { name: "cpu", unit: "ms" },
    { name: "publish", unit: "ms" },
    { name: "publish cpu", unit: "ms" },
  ],
  goals: [atLeast("render", ratio("prom-client", "exporter"), 8, 11)],
  rounds: 5,
  open: async () => {
    const closes: (() => Promise<void>)[] = [];
    const runner = async (name: string, program: string): Promise<Runner> => {
      const contender = await startContender(program, SERIES);
      closes.push(() => contender.close());
      let round = 0;
      return {
        name,
        round: async () => {
          await contender.fill(++round);
          const render = await contender.render();
          const publish = await contender.publish();
          return { render: render.ms, publish: publish.ms, cpu: render.cpuMs, "publish cpu": publish.cpuMs };
        },
      };
    };
    return {
      contenders: [await runner("exporter", "exporter.ts"), await runner("prom-client", "prom-client.ts")],
      close: async () => void (await Promise.all(closes.map((close) => close()))),
    };
  },
};
