import { describe, expect, test } from "vitest";

import { dashboards } from "../../dashboards/index.ts";
import { createRules } from "../../dashboards/rules/index.ts";
import { isAlert } from "../../dashboards/rules/rule.ts";
import { readDashboard } from "./dashboard-json.ts";

describe("alerts", () => {
  const variables = new Map(
    dashboards.map(({ uid, json }) => [uid, readDashboard(json).templating.list.map(({ name }) => name)]),
  );
  const alerts = createRules({ dashboardBaseUrl: "/d" }).flatMap(({ rules }) => rules.filter(isAlert));

  test.each(alerts.map(({ alert, annotations }) => ({ alert, url: annotations.dashboard_url ?? "" })))(
    "$alert links to an existing dashboard and sets one of its variables: $url",
    ({ url }) => {
      const [, uid = "", label = "datasource"] = /^\/d\/([\w-]+)(?:\?var-(\w+)=.*)?$/.exec(url) ?? [];
      expect(variables.get(uid)).toContain(label);
    },
  );
});
