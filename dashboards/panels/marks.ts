import type { AnnotationQuery } from "@grafana/grafana-foundation-sdk/dashboard";

import { keyFamilies } from "../../exporter/collectors/key-families.ts";
import { annotation } from "../builder/annotations.ts";
import { firing } from "../expressions/alerts.ts";
import { ofJob } from "../expressions/scope.ts";
import { promql } from "../promql.ts";

type OfKey = Readonly<Partial<Record<"key", string>>>;

/** Marks firing alerts, in red. */
export function alertMarks(matchers: Parameters<typeof firing>[0]): AnnotationQuery {
  return annotation({
    name: "Alerts",
    color: "red",
    expr: firing(matchers),
    title: "{{alertname}}",
    text: "{{severity}} {{key}}{{budget}}",
  });
}

/** Marks raised and lowered limits, in purple. */
export function limitMarks(matchers: OfKey): AnnotationQuery {
  return annotation({
    name: "Limit changes",
    color: "purple",
    expr: promql`max by (key) (changes(${ofJob(keyFamilies.limit, matchers)}[5m])) > 0`,
    title: "Limit of {{key}} changed",
    text: "",
  });
}

/** Marks resets of the limit, in blue. */
export function resetMarks(matchers: OfKey): AnnotationQuery {
  return annotation({
    name: "Resets",
    color: "blue",
    expr: promql`max by (key) (changes(${ofJob(keyFamilies.windowStart, matchers)}[5m])) > 0`,
    title: "Limit of {{key}} was reset",
    text: "",
  });
}
