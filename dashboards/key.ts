import { keyFamilies } from "../exporter/collectors/key-families.ts";
import { createDashboard } from "./builder/dashboard.ts";
import { ranked, variables } from "./builder/variables.ts";
import { keysByDanger } from "./expressions/verdict.ts";
import { modelsOfKey } from "./panels/account-keys.ts";
import { firingAlerts } from "./panels/alerts.ts";
import * as figures from "./panels/key-figures.ts";
import * as graphs from "./panels/key-graphs.ts";
import { alertMarks, limitMarks, resetMarks } from "./panels/marks.ts";
import { uids } from "./uids.ts";

const chosen = { key: "$key" };

/** One key in detail, for its owner and for the engineer on call. */
export const key = createDashboard({
  uid: uids.key,
  title: "Key",
  description:
    "One key: how many credits are left, how fast they are spent, and whether they last until the reset.",
  from: "now-7d",
  refresh: "1m",
  variables: variables(keyFamilies.ownerInfo, ranked("key", "Key", keysByDanger)),
  annotations: [alertMarks(chosen), limitMarks(chosen), resetMarks(chosen)],
  rows: [
    {
      height: 4,
      panels: [
        figures.verdictOfKey(1),
        figures.used(2),
        figures.left(3),
        figures.lasts(4),
        figures.untilReset(5),
        figures.age(6),
      ],
    },
    {
      height: 4,
      panels: [
        figures.limit(7),
        figures.today(8),
        figures.week(9),
        figures.month(10),
        figures.allTime(11),
        figures.freeRequests(12),
      ],
    },
    { height: 9, panels: [graphs.remaining(20), graphs.lastsOverTime(21)] },
    { height: 9, panels: [graphs.spentPerHour(22), graphs.burn(23)] },
    { height: 8, panels: [graphs.ownAndByok(24), firingAlerts(25, 12, chosen)] },
    { height: 7, panels: [modelsOfKey(27)] },
    { height: 5, panels: [figures.about(26)] },
  ],
});
