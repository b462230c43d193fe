import { z } from "zod";

/** The parts of a dashboard's JSON that the checks use. */
export type DashboardJson = z.infer<typeof dashboardJson>;
export type PanelJson = z.infer<typeof panelJson>;
export type VariableJson = z.infer<typeof variableJson>;

const dataSource = z.object({ type: z.string(), uid: z.string() });

const property = z.object({ id: z.string(), value: z.unknown() });

const targetJson = z.object({
  refId: z.string().default(""),
  expr: z.string(),
  instant: z.boolean().default(false),
  range: z.boolean().default(false),
  format: z.string().default("time_series"),
  legendFormat: z.string().default(""),
  datasource: dataSource.optional(),
});
export type TargetJson = z.infer<typeof targetJson>;

const panelJson = z.object({
  id: z.number().default(0),
  type: z.string(),
  title: z.string().default(""),
  description: z.string().default(""),
  datasource: dataSource.optional(),
  gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
  interval: z.string().default(""),
  timeFrom: z.string().default(""),
  targets: z.array(targetJson).default([]),
  options: z.record(z.string(), z.unknown()).default({}),
  transformations: z.array(z.unknown()).default([]),
  fieldConfig: z
    .object({
      defaults: z.object({
        unit: z.string().default(""),
        noValue: z.string().default(""),
        mappings: z.array(z.unknown()).default([]),
        decimals: z.number().optional(),
        custom: z
          .object({
            axisSoftMax: z.number().optional(),
            scaleDistribution: z.object({ type: z.string() }).optional(),
          })
          .default({}),
      }),
      overrides: z.array(
        z.object({
          matcher: z.object({ id: z.string(), options: z.unknown() }),
          properties: z.array(property),
        }),
      ),
    })
    .optional(),
});

const variableJson = z.object({
  type: z.string(),
  name: z.string(),
  label: z.string().default(""),
  query: z.string(),
  datasource: dataSource.optional(),
  multi: z.boolean().default(false),
  includeAll: z.boolean().default(false),
  allValue: z.string().default(""),
  refresh: z.number().optional(),
  current: z.unknown().optional(),
  options: z.unknown().optional(),
});

const dashboardJson = z.object({
  uid: z.string(),
  title: z.string(),
  tags: z.array(z.string()),
  timezone: z.string(),
  editable: z.boolean(),
  time: z.object({ from: z.string(), to: z.string() }),
  links: z.array(
    z.object({ type: z.string(), asDropdown: z.boolean(), keepTime: z.boolean(), includeVars: z.boolean() }),
  ),
  panels: z.array(panelJson),
  templating: z.object({ list: z.array(variableJson) }),
  annotations: z.object({
    list: z.array(z.object({ name: z.string(), target: z.object({ expr: z.string() }) })),
  }),
});

export function readDashboard(json: string): DashboardJson {
  return dashboardJson.parse(JSON.parse(json));
}

/** All expressions of a dashboard, each with its location. */
export function expressionsOf(
  dashboard: DashboardJson,
): readonly { readonly where: string; readonly expr: string; readonly legend: string }[] {
  return [
    ...dashboard.panels.flatMap((panel) =>
      panel.targets.map(({ refId, expr, legendFormat }) => ({
        where: `${dashboard.title}, panel ${panel.id} "${panel.title}", query ${refId}`,
        expr,
        legend: legendFormat,
      })),
    ),
    ...dashboard.annotations.list.map(({ name, target }) => ({
      where: `${dashboard.title}, annotation "${name}"`,
      expr: target.expr,
      legend: "",
    })),
  ];
}
