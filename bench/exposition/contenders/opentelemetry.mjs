import { PrometheusExporter, PrometheusSerializer } from "@opentelemetry/exporter-prometheus";
import { AggregationType, MeterProvider } from "@opentelemetry/sdk-metrics";
import { compress, listenWithText, serveSubject } from "../contender.ts";
import { createDataSet, eachValue } from "../data-set.ts";

const data = createDataSet(Number(process.argv[2]));

// By default, a metric keeps 2,000 attribute sets and adds up all others.
const aggregationCardinalityLimit = data.series + 1;

await serveSubject(data.series, () => {
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({
    readers: [exporter],
    views: [
      { instrumentName: "*", aggregationCardinalityLimit, aggregation: { type: AggregationType.LAST_VALUE } },
    ],
  });
  const meter = provider.getMeter("bench");
  const gauges = data.families.map(({ name, help }) => meter.createGauge(name, { description: help }));
  const serializer = new PrometheusSerializer();
  const text = async () => {
    const { resourceMetrics, errors } = await exporter.collect();
    if (errors.length > 0) throw errors[0];
    return serializer.serialize(resourceMetrics);
  };
  return {
    fill: (round) =>
      eachValue(data, round, ({ family, labels }, value) => gauges[family].record(value, labels)),
    render: text,
    publish: async () => compress(await text()),
    listen: () => listenWithText("text/plain; version=0.0.4", text),
  };
});
