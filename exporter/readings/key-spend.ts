/** What the keys of the account spend by model. Keys have the names that the service has for them. */
export interface KeySpends {
  readonly keys: ReadonlyMap<string, KeySpend>;
  /** Whether every row arrived and can be read, without a warning about the query. */
  readonly hasAllRows: boolean;
}

/** The spend of one name, which several keys may share. */
export interface KeySpend {
  /** The models that `/metrics` names, the most expensive first. */
  readonly models: readonly ModelSpend[];
  /** Of all rows of the name, so it contains models without a name as well; undefined: unknown. */
  readonly credits: number | undefined;
  /** Whether every row of the name has an amount. */
  readonly isComplete: boolean;
}

/** Credits; undefined: the service has no amount. */
export interface ModelSpend {
  readonly model: string;
  readonly credits: number | undefined;
}

/** What a query must be like for its rows to be the whole spend of keys by model. */
export function asksKeySpend(query: {
  readonly dimensions: readonly string[];
  readonly metrics: readonly string[];
  readonly filters: readonly unknown[];
  readonly classifier?: unknown;
}): boolean {
  const { dimensions, metrics, filters, classifier } = query;
  const isDivided = dimensions.includes("api_key_id") && dimensions.includes("model");
  return isDivided && metrics.includes("credits") && filters.length === 0 && classifier === undefined;
}
