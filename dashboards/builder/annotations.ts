import { type AnnotationQuery, AnnotationQueryBuilder } from "@grafana/grafana-foundation-sdk/dashboard";
import { DataqueryBuilder } from "@grafana/grafana-foundation-sdk/prometheus";

import type { Color } from "../colors.ts";
import { DATA_SOURCE } from "./query.ts";

interface AnnotationDefinition {
  readonly name: string;
  readonly color: Color;
  /** A mark is drawn wherever this expression has a value. */
  readonly expr: string;
  readonly title: string;
  readonly text: string;
}

/** Draws marks in all graphs of a dashboard. */
export function annotation({ name, color, expr, title, text }: AnnotationDefinition): AnnotationQuery {
  const annotationQuery = new AnnotationQueryBuilder()
    .name(name)
    .datasource(DATA_SOURCE)
    .enable(true)
    .hide(false)
    .iconColor(color)
    .titleFormat(title)
    .textFormat(text)
    .target(new DataqueryBuilder().refId("Anno").datasource(DATA_SOURCE).expr(expr).range().interval(STEP));
  return annotationQuery.build();
}

/** Shorter than the look-back of the expressions, so that no event falls between two steps. */
const STEP = "1m";
