import type { Dashboard } from "@grafana/grafana-foundation-sdk/dashboard";

import { accountDashboard } from "./account.ts";
import { apps } from "./apps.ts";
import { exporter } from "./exporter.ts";
import { key } from "./key.ts";
import { models } from "./models.ts";
import { overview } from "./overview.ts";

export interface DashboardFile {
  readonly uid: string;
  readonly title: string;
  /** The file that Grafana imports. */
  readonly json: string;
}

/** The dashboards, in reading order. */
export const dashboards: readonly DashboardFile[] = [
  overview,
  key,
  accountDashboard,
  models,
  apps,
  exporter,
].map(file);

function file(dashboard: Dashboard): DashboardFile {
  const { uid = "", title = "" } = dashboard;
  return { uid, title, json: `${JSON.stringify(dashboard, undefined, 2)}\n` };
}
