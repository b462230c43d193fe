import { queryFamilies } from "../exporter/collectors/analytics-families.ts";
import { createDashboard } from "./builder/dashboard.ts";
import { several, variables } from "./builder/variables.ts";
import { pairSeries } from "./expressions/account-keys.ts";
import * as account from "./panels/account.ts";
import { keysAndModels, keysBySpend } from "./panels/account-keys.ts";
import { keyHygiene, sharedLimits } from "./panels/account-limits.ts";
import { alertMarks } from "./panels/marks.ts";
import { ownQuery, queryChoice } from "./panels/own-queries.ts";
import * as unwatched from "./panels/unwatched.ts";
import { uids } from "./uids.ts";

/** The whole account: what is left, which keys spend it, and which of them nobody watches. */
export const accountDashboard = createDashboard({
  uid: uids.account,
  title: "Account",
  description:
    "The whole account: its balance, who spends it, and spend that nobody watches. Needs a management key.",
  from: "now-30d",
  refresh: "5m",
  variables: variables(
    queryFamilies.up,
    several("api_key", "Key name", "api_key", pairSeries.credits),
    queryChoice,
  ),
  annotations: [
    alertMarks({ alertname: "~AIGateway(Account|Discovery|Unwatched).*" }),
    account.boughtMarks(),
  ],
  rows: [
    {
      height: 4,
      panels: [
        account.balance(1),
        account.lasts(2),
        account.used(3),
        account.bought(4),
        account.month(5),
        account.age(6),
      ],
    },
    { height: 9, panels: [account.balanceOverTime(10), account.spentPerDay(11)] },
    { height: 11, panels: [keysBySpend(20)] },
    { height: 11, panels: [keysAndModels(21)] },
    {
      heading: { id: 102, title: "Limits and risks" },
      height: 7,
      panels: [sharedLimits(22)],
    },
    { height: 9, panels: [keyHygiene(23)] },
    {
      heading: { id: 100, title: "Keys that nobody watches" },
      height: 4,
      panels: [unwatched.today(30), unwatched.month(31), unwatched.share(32), unwatched.unresolved(33)],
    },
    { height: 8, panels: [unwatched.names(34), unwatched.lists(35)] },
    {
      heading: { id: 101, title: "Other queries: users, providers and more" },
      height: 9,
      panels: [ownQuery(40)],
    },
  ],
});
