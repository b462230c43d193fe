import { RuleGroup as GrafanaRuleGroup } from "@pulumiverse/grafana/alerting/ruleGroup.js";
import { Dashboard as GrafanaDashboard } from "@pulumiverse/grafana/oss/dashboard.js";
import { DataSource } from "@pulumiverse/grafana/oss/dataSource.js";
import { Folder } from "@pulumiverse/grafana/oss/folder.js";
import {
  ComponentResource,
  type ComponentResourceOptions,
  type CustomResourceOptions,
  type Resource,
} from "@pulumi/pulumi";
import type { RuleGroup } from "../../dashboards/rules/rule.ts";
import type { DashboardFile } from "../../dashboards/index.ts";
import type { GrafanaSettings } from "../settings.ts";
import type { GrafanaGroup } from "./grafana-group.ts";
import { convertRules } from "./rule-conversion.ts";

export interface GrafanaContentArgs {
  readonly settings: Omit<GrafanaSettings, "auth">;
  readonly rules: readonly RuleGroup[];
  readonly dashboards: readonly DashboardFile[];
}

/**
 * Dashboards and alert rules in Grafana. Notifications are left to the user, because a notification policy of
 * ours would replace theirs.
 */
export class GrafanaContent extends ComponentResource {
  readonly folder: Folder;
  readonly datasource: DataSource | undefined;
  readonly dashboards: readonly GrafanaDashboard[];
  readonly ruleGroups: readonly GrafanaRuleGroup[];

  constructor(name: string, args: GrafanaContentArgs, options?: ComponentResourceOptions) {
    super("aigateway-exporter:grafana:Content", name, {}, options);
    const { settings, rules, dashboards } = args;
    const { name: uid, grafanaFolder: title } = settings;
    const parentFolderUid = settings.grafanaParentFolder;
    const folder = new Folder(
      name,
      {
        title,
        uid: folderUid(uid),
        ...(parentFolderUid === "" ? {} : { parentFolderUid }),
        // Others may have put dashboards into it, which would be deleted with it.
        preventDestroyIfNotEmpty: true,
      },
      { parent: this },
    );
    this.folder = folder;
    this.datasource = createDataSource(name, settings, this);
    this.dashboards = settings.grafanaDashboards
      ? dashboards.map((dashboard) => createDashboard(name, folder, dashboard, this))
      : [];
    const dependsOn = this.datasource ? [this.datasource] : [];
    this.ruleGroups = settings.grafanaAlerts
      ? convert(settings, rules).map((group) => createGroup(name, folder, group, { parent: this, dependsOn }))
      : [];
    this.registerOutputs({ folderUrl: folder.url });
  }
}

const LONGEST_UID = 40;

/**
 * Folders and dashboards share one space of uids, and the default name of a deployment is also the uid of a
 * dashboard.
 */
export function folderUid(name: string): string {
  return `folder-${name}`.slice(0, LONGEST_UID);
}

function createDataSource(
  name: string,
  { grafanaDatasourceUid: uid, grafanaDatasourceUrl: url }: GrafanaContentArgs["settings"],
  parent: Resource,
): DataSource | undefined {
  return url === ""
    ? undefined
    : new DataSource(name, { type: "prometheus", name: uid, uid, url }, { parent });
}

function createDashboard(
  name: string,
  folder: Folder,
  { uid, title, json }: DashboardFile,
  parent: Resource,
): GrafanaDashboard {
  // The checks refuse a dashboard of another owner; without overwrite, one that was edited by hand could not
  // be repaired.
  const content = { configJson: json, overwrite: true, message: `Deployed: ${title}` };
  return new GrafanaDashboard(`${name}-${uid}`, { folder: folder.uid, ...content }, { parent });
}

function createGroup(
  name: string,
  folder: Folder,
  { name: group, intervalSeconds, rules }: GrafanaGroup,
  options: CustomResourceOptions,
): GrafanaRuleGroup {
  const own = rules.map((rule) => ({ ...rule, datas: [...rule.datas] }));
  return new GrafanaRuleGroup(
    `${name}-${group}`,
    { folderUid: folder.uid, name: group, intervalSeconds, rules: own },
    options,
  );
}

function convert(
  settings: Omit<GrafanaSettings, "auth">,
  rules: readonly RuleGroup[],
): readonly GrafanaGroup[] {
  return convertRules(rules, {
    name: settings.name,
    datasourceUid: settings.grafanaDatasourceUid,
  });
}
