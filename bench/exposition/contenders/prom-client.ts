import { Gauge, Registry } from "prom-client";
import { compress, listenWithText, serveSubject } from "../contender.ts";
import { createDataSet, eachValue } from "../data-set.ts";

const data = createDataSet(Number(process.argv[2]));

/** prom-client, used as in its documentation. */
await serveSubject(data.series, () => {
  const registry = new Registry();
  const gauges = data.families.map(
    ({ name, help, labels }) => new Gauge({ name, help, labelNames: [...labels], registers: [registry] }),
  );
  return {
    fill: (round) =>
      eachValue(data, round, ({ family, labels }, value) => gauges[family]?.set(labels, value)),
    render: () => registry.metrics(),
    publish: async () => compress(await registry.metrics()),
    listen: () => listenWithText(registry.contentType, () => registry.metrics()),
  };
});
