import { ruleGroups } from "../../dashboards/rules/file.ts";
import { createRules } from "../../dashboards/rules/index.ts";
import { isAlert, type RuleGroup } from "../../dashboards/rules/rule.ts";
import { JOB } from "../../dashboards/rules/settings.ts";
import { type Prometheus, startPrometheus } from "../support/prometheus.ts";
import type { Range } from "../support/prometheus-api.ts";
import { recordPast, startSampleFeed } from "./rule-history.ts";

export interface WatchingOptions {
  /** Path of Prometheus. */
  readonly prometheus: string;
  /** Its working directory; blocks in its folder `data` are the past. */
  readonly directory: string;
  readonly exporterUrl: string;
  /** The time over which the recording rules get a past; undefined: they begin now. */
  readonly recorded: Range | undefined;
}

/** Addresses of processes differ between runs, but the address in the history must not. */
export const INSTANCE = "exporter:9853";

/** Starts a Prometheus that scrapes a running exporter and evaluates the rules without waiting. */
export async function startWatching({
  prometheus: binary,
  directory,
  exporterUrl,
  recorded,
}: WatchingOptions): Promise<Prometheus> {
  const feed = await startSampleFeed();
  const groups = promptly(createRules());
  const prometheus = await startPrometheus({
    binary,
    directory,
    config: configuration(new URL(exporterUrl).host, feed.address),
    rules: [JSON.stringify({ groups: ruleGroups(groups) })],
    flags: ["--storage.tsdb.retention.time=10y"],
  });
  if (recorded) await recordPast(prometheus, feed, groups, recorded);
  return {
    ...prometheus,
    stop: async () => {
      await prometheus.stop();
      await feed.stop();
    },
  };
}

/** The rules without waiting: evaluated every few seconds, alerts at once. Their expressions are the same. */
function promptly(groups: readonly RuleGroup[]): readonly RuleGroup[] {
  return groups.map((group) => ({
    ...group,
    interval: "5s",
    rules: group.rules.map((rule) => {
      if (!isAlert(rule)) return rule;
      const { for: _for, ...rest } = rule;
      return rest;
    }),
  }));
}

function configuration(exporter: string, feed: string): object {
  return {
    global: { scrape_interval: "5s", scrape_timeout: "5s", evaluation_interval: "5s" },
    rule_files: ["rules-0.yaml"],
    storage: { tsdb: { out_of_order_time_window: "90d" } },
    scrape_configs: [
      {
        job_name: JOB,
        static_configs: [{ targets: [exporter] }],
        relabel_configs: [{ target_label: "instance", replacement: INSTANCE }],
      },
      {
        job_name: "history",
        scrape_interval: "500ms",
        scrape_timeout: "500ms",
        honor_labels: true,
        static_configs: [{ targets: [feed] }],
      },
    ],
  };
}
