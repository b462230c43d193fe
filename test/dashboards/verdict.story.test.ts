import { expect, test } from "vitest";
import { key as keyDashboard } from "../../dashboards/key.ts";
import { overview } from "../../dashboards/overview.ts";
import { JOB } from "../../dashboards/rules/settings.ts";
import { discoveryFamilies } from "../../exporter/collectors/discovery-families.ts";
import { keyFamilies } from "../../exporter/collectors/key-families.ts";
import { describeWithTools } from "../support/tools.ts";
import { type PanelJson, readDashboard } from "./dashboard-json.ts";
import { exposed, forecastOfKey, since } from "./rules/cases/alert-case.ts";
import type { InputSeries } from "./rules/input-series.ts";
import { failuresOf } from "./rules/story.ts";
import { z } from "zod";

/** What a panel, or a column of a table, shows for the value of a query. */
interface Shown {
  readonly expr: string;
  /** The text for a value, or the value itself; undefined for a missing value. */
  text(value: number | undefined): string;
}

/** The figure of a panel with one query. */
function figureOf(panel: PanelJson): Shown {
  const [target] = panel.targets;
  if (!target) throw new Error(`The panel "${panel.title}" has no query`);
  const { mappings = [], noValue = "" } = panel.fieldConfig?.defaults ?? {};
  return { expr: target.expr, text: (value) => textOf(mappings, noValue, value) };
}

/** A column of a table with several queries. */
function columnOf(panel: PanelJson, title: string): Shown {
  const { renameByName } = organize.parse(panel).transformations.at(-1)?.options ?? {};
  const [field = ""] = Object.entries(renameByName ?? {}).find(([, name]) => name === title) ?? [];
  const target = panel.targets.find(({ refId }) => field === `Value #${refId}`);
  if (!target) throw new Error(`The table "${panel.title}" has no column "${title}"`);
  const properties = panel.fieldConfig?.overrides.find(
    ({ matcher }) => matcher.options === title,
  )?.properties;
  const property = (id: string) => properties?.find((one) => one.id === id)?.value;
  const mappings = z.array(z.unknown()).parse(property("mappings") ?? []);
  const noValue = z.string().parse(property("noValue") ?? "");
  return { expr: target.expr, text: (value) => textOf(mappings, noValue, value) };
}

const organize = z.object({
  transformations: z.array(
    z.object({ options: z.object({ renameByName: z.record(z.string(), z.string()).optional() }) }),
  ),
});

const valueMapping = z.object({
  type: z.literal("value"),
  options: z.record(z.string(), z.object({ text: z.string() })),
});

function textOf(mappings: readonly unknown[], noValue: string, value: number | undefined): string {
  if (value === undefined) return noValue;
  const texts = mappings.flatMap((mapping) => {
    const read = valueMapping.safeParse(mapping);
    return read.success ? [read.data.options[String(value)]?.text] : [];
  });
  return texts.find((text) => text !== undefined) ?? String(value);
}

const AT = 60;
/** The forecast of the cases runs out at 100,000 s. */
const LEFT = 100_000 - AT * 60;

/** What is known of a key, the verdict on it, and how long it lasts: seconds, or why there is no time. */
const CASES: readonly (readonly [
  name: string,
  series: readonly InputSeries[],
  verdict: string,
  lasts: string,
])[] = [
  ["out", forecast("out", "exhausted"), "exhausted", "used up"],
  ["page", forecast("page", "imminent"), "out within the hour", String(LEFT)],
  ["warned", forecast("warned", "predicted"), "out within a day", String(LEFT)],
  ["later", forecast("later", "slow"), "out before its reset", String(LEFT)],
  ["resets", [...forecast("resets", "lasts"), reset("resets")], "lasts", "until its reset"],
  ["never-resets", forecast("never-resets", "lasts"), "lasts", "more than a week"],
  ["free", forecast("free", "unlimited"), "unlimited", "no limit"],
  ["new", forecast("new", "learning"), "learning", "not known yet"],
  ["mute", forecast("mute", "unknown"), "unknown", "–"],
  ["unpolled", [], "unknown", "–"],
  ["off", [...forecast("off", "unknown"), disabled("off")], "disabled", "disabled"],
  ["shut", [...forecast("shut", "unknown"), limit("shut", 0)], "blocked (limit 0)", "limit is 0"],
  ["refused", [...forecast("refused", "lasts"), refused("refused"), reset("refused")], "refused", "refused"],
];

const panelOf = (dashboard: unknown, id: number): PanelJson => {
  const panel = readDashboard(JSON.stringify(dashboard)).panels.find((one) => one.id === id);
  if (!panel) throw new Error(`There is no panel ${id}`);
  return panel;
};
const everyOne = (expr: string) => expr.replaceAll(/\$\w+/g, ".*");

describeWithTools(["promtool3"], "the verdict on keys", ({ promtool3 }) => {
  const series = CASES.flatMap(([name, own]) => [owner(name), ...own]);

  test.each(["Verdict", "Lasts"] as const)(
    "%s says on Overview and on Key what the forecast says",
    async (title) => {
      const column = columnOf(panelOf(overview, 10), title);
      const figure = figureOf(panelOf(keyDashboard, title === "Verdict" ? 1 : 4));
      const valueOf = (wanted: string) => {
        const values = [...Array.from({ length: 30 }, (_, index) => index - 10), LEFT];
        return values.find((value) => column.text(value) === wanted);
      };
      const expected = CASES.flatMap(([name, , verdict, lasts]) => {
        const value = valueOf(title === "Verdict" ? verdict : lasts);
        return value === undefined ? [] : [{ name, value }];
      });
      expect(expected.length).toBeGreaterThanOrEqual(CASES.length - 2);
      const expectations = [
        {
          at: AT,
          expr: everyOne(column.expr),
          samples: expected.map(({ name, value }) => ({ labels: `{job="${JOB}",key="${name}"}`, value })),
        },
        ...expected.map(({ name, value }) => ({
          at: AT,
          expr: everyOne(figure.expr.replaceAll("$key", name)),
          samples: [{ labels: "{}", value }],
        })),
      ];
      expect(await failuresOf(promtool3, series, expectations, [])).toEqual([]);
    },
  );

  test("the lines of Key break where the secret is replaced", async () => {
    const rotated = [
      exposed(keyFamilies.remaining, { key: "rotated" }, leftOfRotated),
      exposed(keyFamilies.usage, { key: "rotated" }, leftOfRotated),
      exposed(keyFamilies.secretReplaced, { key: "rotated" }, (minute) => (minute < 30 ? null : 30 * 60)),
    ];
    const expectations = [ofRotated(20, 29, 50), ofRotated(20, 31), ofRotated(20, 41, 200), ofRotated(22, 0)];
    expect(await failuresOf(promtool3, rotated, expectations, [])).toEqual([]);
  });

  test("Key opens on the key in most danger", async () => {
    const { query = "" } =
      readDashboard(JSON.stringify(keyDashboard)).templating.list.find(({ name }) => name === "key") ?? {};
    const expr = `(${everyOne(query.replace(/^query_result\(sort\((.*)\)\)$/, "$1"))})`;
    const first = { at: AT, expr: `${expr} == 0`, samples: samplesOf(["refused", "out"], 0) };
    const next = {
      at: AT,
      expr: `${expr} > 0 < Inf`,
      samples: samplesOf(["page", "warned", "later"], 100_000),
    };
    expect(await failuresOf(promtool3, series, [first, next], [])).toEqual([]);
  });
});

function leftOfRotated(minute: number): number {
  return minute < 30 ? 50 : 200;
}

/** What a panel of Key shows of the key whose secret is replaced. */
function ofRotated(panel: number, minute: number, value?: number) {
  return {
    at: minute,
    expr: everyOne(figureOf(panelOf(keyDashboard, panel)).expr.replaceAll("$key", "rotated")),
    samples: value === undefined ? [] : [{ labels: "{}", value }],
  };
}

function samplesOf(names: readonly string[], value: number) {
  return names.map((key) => ({ labels: `{key="${key}"}`, value }));
}

function forecast(key: string, outlook: Parameters<typeof since>[1]): readonly InputSeries[] {
  return forecastOfKey(key, since(0, outlook));
}

function owner(key: string): InputSeries {
  return exposed(keyFamilies.ownerInfo, { key, team: "docs", project: "", cost_center: "" }, () => 1);
}

function reset(key: string): InputSeries {
  return exposed(keyFamilies.nextReset, { key }, () => 200_000);
}

function limit(key: string, credits: number): InputSeries {
  return exposed(keyFamilies.limit, { key }, () => credits);
}

function disabled(key: string): InputSeries {
  return exposed(discoveryFamilies.disabled, { key }, () => 1);
}

function refused(key: string): InputSeries {
  return exposed(keyFamilies.unauthorized, { key }, () => 1);
}
