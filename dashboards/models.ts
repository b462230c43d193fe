import { queryFamilies, usageFamiliesOf } from "../exporter/collectors/analytics-families.ts";
import { createDashboard } from "./builder/dashboard.ts";
import { several, variables } from "./builder/variables.ts";
import * as analytics from "./panels/analytics-state.ts";
import { ratesToday } from "./panels/rates.ts";
import * as usage from "./panels/usage.ts";
import { uids } from "./uids.ts";

/** What each model costs and delivers. */
export const models = createDashboard({
  uid: uids.models,
  title: "Models",
  description: "What each model costs: in total, per request and per million tokens. Needs a management key.",
  from: "now-30d",
  refresh: "5m",
  variables: variables(queryFamilies.up, several("app", "App", "app", usageFamiliesOf.month.credits)),
  annotations: [],
  rows: [
    {
      height: 4,
      panels: [
        usage.total(1, "model", "day"),
        usage.total(2, "model", "last_day"),
        usage.total(3, "model", "month"),
        usage.total(4, "model", "last_month"),
        analytics.dataUntil(5),
        analytics.cut(6),
      ],
    },
    { height: 10, panels: [usage.perDay(10, "model"), usage.top(11, "model")] },
    { height: 12, panels: [usage.details(12, "model", "month")] },
    { height: 9, panels: [usage.tokens(13, "model"), usage.freeAndPaid(14, "model")] },
    { height: 6, panels: [ratesToday(15)] },
  ],
});
