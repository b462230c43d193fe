import { createDashboard } from "./builder/dashboard.ts";
import { several, variables } from "./builder/variables.ts";
import { selfFamilies } from "../exporter/metrics/self-families.ts";
import { firingAlerts } from "./panels/alerts.ts";
import * as state from "./panels/exporter-state.ts";
import * as upstream from "./panels/exporter-upstream.ts";
import * as process from "./panels/exporter-process.ts";
import { alertMarks } from "./panels/marks.ts";
import * as probes from "./panels/probes.ts";
import { uids } from "./uids.ts";

const HEALTH =
  "~AIGateway(AccountDataStale|(Discovery|Exporter|Upstream|Analytics|Series|Poll|Probe|Shard).*)";

/** Shows whether the figures on the other dashboards can be trusted, and if not, why. */
export const exporter = createDashboard({
  uid: uids.exporter,
  title: "Exporter health",
  description:
    "Whether the exporter runs, reaches the gateway and has fresh data, and which resources it uses.",
  from: "now-6h",
  refresh: "1m",
  variables: variables(
    selfFamilies.buildInfo,
    several("instance", "Instance", "instance", selfFamilies.buildInfo),
  ),
  annotations: [alertMarks({ alertname: HEALTH }), state.restartMarks()],
  rows: [
    {
      height: 4,
      panels: [
        state.running(1),
        state.failingKeys(2),
        state.oldestData(3),
        state.throttled(4),
        state.configuration(5),
        state.seriesShare(6),
      ],
    },
    { height: 9, panels: [upstream.requests(10), upstream.failures(11)] },
    { height: 9, panels: [upstream.lag(12), upstream.pollDuration(13)] },
    { height: 9, panels: [upstream.keyTable(14), firingAlerts(15, 12, { alertname: HEALTH }, ["about"])] },
    { height: 8, panels: [upstream.queryTable(16)] },
    {
      heading: { id: 101, title: "Transcription probes" },
      height: 4,
      panels: [probes.failing(30), probes.oldestRun(31), probes.spent(32), probes.spentShare(33)],
    },
    { height: 9, panels: [probes.duration(34), probes.wordErrors(35), probes.failures(36)] },
    { height: 7, panels: [probes.lastResults(37)] },
    {
      heading: { id: 100, title: "The process" },
      height: 8,
      panels: [process.cpu(20), process.memory(21), process.eventLoop(22)],
    },
    { height: 6, panels: [process.scrapes(23), process.build(24)] },
  ],
});
