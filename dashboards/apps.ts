import { queryFamilies, usageFamiliesOf } from "../exporter/collectors/analytics-families.ts";
import { createDashboard } from "./builder/dashboard.ts";
import { several, variables } from "./builder/variables.ts";
import * as analytics from "./panels/analytics-state.ts";
import * as usage from "./panels/usage.ts";
import { pairs } from "./panels/pairs.ts";
import { uids } from "./uids.ts";

/** What each application costs: this month, and last month as finance books it. */
export const apps = createDashboard({
  uid: uids.apps,
  title: "Apps",
  description:
    "What each application costs, this month and in the last full month, which finance books. Needs a management key.",
  from: "now-30d",
  refresh: "5m",
  variables: variables(queryFamilies.up, several("model", "Model", "model", usageFamiliesOf.month.credits)),
  annotations: [],
  rows: [
    {
      height: 4,
      panels: [
        usage.total(1, "app", "month"),
        usage.total(2, "app", "last_month"),
        usage.worth(3, "app", "month"),
        usage.worth(4, "app", "last_month"),
        analytics.dataUntil(5),
        analytics.cut(6),
      ],
    },
    {
      heading: { id: 100, title: "The last full month" },
      height: 10,
      panels: [usage.details(10, "app", "last_month")],
    },
    { heading: { id: 101, title: "This month" }, height: 10, panels: [usage.details(11, "app", "month")] },
    { height: 10, panels: [usage.perDay(12, "app"), usage.top(13, "app")] },
    { height: 12, panels: [pairs(14)] },
  ],
});
