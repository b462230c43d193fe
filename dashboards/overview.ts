import { budgetFamilies } from "../exporter/budgets/families.ts";
import { keyFamilies } from "../exporter/collectors/key-families.ts";
import { createDashboard } from "./builder/dashboard.ts";
import { several, variables } from "./builder/variables.ts";
import { alertMarks, limitMarks } from "./panels/marks.ts";
import { budgetTable } from "./panels/budgets.ts";
import { firingAlerts } from "./panels/alerts.ts";
import { runway } from "./panels/runway.ts";
import * as spend from "./panels/spend.ts";
import * as state from "./panels/state.ts";
import { uids } from "./uids.ts";

/** What is spent, by whom, and which keys run out: the first screen for every reader. */
export const overview = createDashboard({
  uid: uids.overview,
  title: "Overview",
  description: "What is spent and by whom, and which keys run out of credits.",
  from: "now-30d",
  refresh: "5m",
  variables: variables(
    keyFamilies.ownerInfo,
    several("team", "Team", "team", keyFamilies.ownerInfo),
    several("budget", "Budget", "budget", budgetFamilies.info),
  ),
  annotations: [alertMarks({ team: "~$team" }), limitMarks({})],
  rows: [
    {
      height: 4,
      panels: [
        spend.today(1),
        spend.week(2),
        spend.month(3),
        state.danger(5),
        state.notCounted(6),
        state.dataAge(7),
      ],
    },
    { height: 11, panels: [runway(10)] },
    { height: 8, panels: [firingAlerts(24, 24, { team: "~$team" }, ["team", "key", "about"])] },
    { height: 10, panels: [spend.perDay(20), spend.spenders(21)] },
    { height: 9, panels: [spend.againstLastMonth(22), spend.byTeam(23)] },
    { height: 8, panels: [budgetTable(30)] },
  ],
});
