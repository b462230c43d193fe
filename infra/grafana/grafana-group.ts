/** A rule group in the form that Grafana's API and its Pulumi provider expect. */
export interface GrafanaGroup {
  readonly name: string;
  readonly intervalSeconds: number;
  readonly rules: readonly GrafanaRule[];
}

export interface GrafanaRule {
  readonly name: string;
  readonly uid: string;
  readonly datas: readonly GrafanaQuery[];
  readonly condition?: string;
  readonly for?: string;
  readonly keepFiringFor?: string;
  readonly noDataState?: "OK";
  readonly execErrState?: "Error";
  readonly missingSeriesEvalsToResolve?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface GrafanaQuery {
  readonly refId: string;
  readonly datasourceUid: string;
  readonly relativeTimeRange: { readonly from: number; readonly to: number };
  /** The query model as JSON. */
  readonly model: string;
}
